/* Children that die of their own instructions, which nobody handles: traps in the middle of a block
 * of code, at the start of one and behind a call, invalid and privileged instructions, bad
 * addresses, signals that they raise; each alone and beside a thread that runs. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int zero;
static volatile sig_atomic_t running;

static unsigned long toil(unsigned long x)
{
    for (int i = 0; i < 20000; i++)
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return x;
}

static void on_signal(int signal)
{
    running += signal > 0;
}

static void *beside(void *unused)
{
    for (unsigned long x = 1;; x = toil(x))
        running = 1 + (int)(x & 1);
    return unused;
}

__attribute__((noinline)) static int divided(int by)
{
    return 7 / by;
}

__attribute__((noinline, naked)) static void trap_called(void)
{
    __asm__("int3\n ret");
}

static void die(int kind)
{
    switch (kind) {
    case 0: __asm__ volatile("int3"); break;
    case 1: __asm__ volatile("jmp 1f\n .skip 64, 0x90\n 1: int3"); break;
    case 2: trap_called(); break;
    case 3: __asm__ volatile("int $3"); break;
    case 4: __asm__ volatile("nop\n .byte 0xf1"); break;
    case 5: __asm__ volatile("jmp 1f\n .skip 64, 0x90\n 1: .byte 0xf1"); break;
    case 6: __asm__ volatile("ud2"); break;
    case 7: __asm__ volatile("hlt"); break;
    case 8: __asm__ volatile("int $0x20"); break;
    case 9: zero = divided(zero); break;
    case 10: *(volatile int *)(uintptr_t)zero = 1; break;
    case 11: ((void (*)(void))(uintptr_t)(zero + 64))(); break;
    case 12: raise(SIGTRAP); break;
    case 13: raise(SIGUSR1); break;
    case 14: kill(getpid(), SIGKILL); break;
    default: break;
    }
}

int main(void)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    for (int i = 0; i < 3 * 16; i++) {
        int kind = i % 16, status = 0;
        pid_t pid = fork();
        if (pid == 0) {
            pthread_t thread;
            unsigned long x = toil((unsigned long)i + 1);
            if (i / 16 == 1)
                pthread_create(&thread, NULL, beside, NULL);
            while (i / 16 == 1 && !running)
                ;
            if (i / 16 == 2) { /* handled once, and then not any more */
                struct sigaction once = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND};
                sigaction(SIGTRAP, &once, NULL);
            }
            if (i / 16 == 2)
                die(kind);
            die(kind);
            _exit((int)(toil(x) == 0) + 3);
        }
        if (pid < 0 || waitpid(pid, &status, 0) < 0)
            return 1;
        printf("%d: %x\n", i, (unsigned)status);
    }
    return 0;
}
