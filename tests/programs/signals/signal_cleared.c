/* Children that begin without handlers (CLONE_CLEAR_SIGHAND): they see none, die of signals that
 * their parent handles, and may set handlers of their own. What is ignored stays so. */
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLONE_CLEAR_SIGHAND
#define CLONE_CLEAR_SIGHAND UINT64_C(0x100000000)
#endif

static volatile sig_atomic_t handled;
static volatile int zero;
static void on_signal(int signal)
{
    handled += signal;
}

static unsigned long toil(unsigned long x)
{
    for (int i = 0; i < 300000; i++)
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return x;
}

static int actions_seen(void)
{
    static const int signals[] = {SIGUSR1, SIGTRAP, SIGSEGV, SIGPIPE};
    int seen = 0;
    for (int i = 0; i < 4; i++) {
        struct sigaction now;
        sigaction(signals[i], NULL, &now);
        seen += (now.sa_handler == SIG_DFL ? 0 : now.sa_handler == SIG_IGN ? 1 : 2) << 2 * i;
    }
    return seen;
}

static void child(int kind)
{
    unsigned long x = toil((unsigned long)kind + 1);
    int seen = actions_seen();
    if (kind == 1)
        raise(SIGUSR1);
    if (kind == 2)
        __asm__ volatile("int3");
    if (kind == 3)
        *(volatile int *)(uintptr_t)zero = 1;
    raise(SIGPIPE);
    signal(SIGUSR1, on_signal);
    signal(SIGTRAP, on_signal);
    raise(SIGUSR1);
    __asm__ volatile("int3");
    x = toil(x);
    _exit(seen ^ (handled == SIGUSR1 + SIGTRAP ? 0 : 128) ^ (int)(x == 0));
}

int main(void)
{
    signal(SIGUSR1, on_signal);
    signal(SIGTRAP, on_signal);
    signal(SIGSEGV, on_signal);
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < 20; i++) {
        struct clone_args how = {.flags = i % 5 == 4 ? 0 : CLONE_CLEAR_SIGHAND,
                                 .exit_signal = SIGCHLD};
        int status = 0, kind = i % 5 == 4 ? 0 : i % 5;
        long pid = syscall(SYS_clone3, &how, sizeof how);
        if (pid == 0)
            child(kind);
        if (pid < 0 || waitpid((pid_t)pid, &status, 0) < 0)
            return 1;
        printf("%d: %x, %lx\n", kind, (unsigned)status & ~0x80u, toil((unsigned long)i + 1));
    }
    raise(SIGUSR1);
    __asm__ volatile("int3");
    printf("%d of the parent's, actions %x\n", (int)handled, (unsigned)actions_seen());
    return 0;
}
