/* A program that uses SIGTRAP for itself: breakpoints that its handler steps over, kills, threads
 * that trap at the same time, ignored, and blocked. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { ROUNDS = 500 };
uint64_t breaks(uint64_t n);
extern char breaks_after[];
__asm__(".text\nbreaks: lea 3(%rdi),%rax\n int3\nbreaks_after: add %rdi,%rax\n ret\n");

static atomic_uint breakpoints, kills, strange;

static void on_trap(int signal, siginfo_t *info, void *context)
{
    ucontext_t *uc = context;
    if (signal != SIGTRAP)
        abort();
    if (info->si_code == SI_KERNEL) {
        breakpoints++;
        strange += uc->uc_mcontext.gregs[REG_RIP] != (greg_t)breaks_after;
        uc->uc_mcontext.gregs[REG_RAX] += 1;
    } else if (info->si_code == SI_USER || info->si_code == SI_TKILL)
        kills++;
    else
        strange++;
}

static void *run(void *argument)
{
    uint64_t sum = (uint64_t)argument;
    for (uint64_t i = 0; i < ROUNDS; i++) {
        sum = sum * 31 + breaks(i);
        if (i % 10 == 0)
            pthread_kill(pthread_self(), SIGTRAP);
        if (i % 50 == 0)
            for (int k = 0; k < 30000; k++)
                sum ^= sum << 13, sum ^= sum >> 7, sum ^= sum << 17;
    }
    return (void *)sum;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    uint64_t sum = (uint64_t)run((void *)1);
    pthread_t id[3];
    for (uint64_t i = 0; i < 3; i++)
        pthread_create(&id[i], NULL, run, (void *)(i + 5));
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(id[i], &result);
        sum ^= (uint64_t)result;
    }
    syscall(SYS_kill, getpid(), SIGTRAP);
    printf("%lx, %u breakpoints, %u kills, %u strange\n", sum, breakpoints, kills, strange);
    signal(SIGTRAP, SIG_IGN);
    for (int i = 0; i < 10; i++)
        raise(SIGTRAP);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTRAP);
    signal(SIGTRAP, SIG_DFL);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGTRAP);
    for (int k = 0; k < 30000000; k++)
        sum ^= sum << 13, sum ^= sum >> 7, sum ^= sum << 17;
    printf("still here, %lx\n", sum);
    fflush(stdout);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    puts("not here");
    return 0;
}
