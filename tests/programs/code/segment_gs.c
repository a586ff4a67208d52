/* A program with a %gs of its own, set by arch_prctl and by wrgsbase, another in each thread, used
 * in loops, in handlers, and after a fork. */
#include <asm/prctl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned handled, wrong;

static uint64_t through_gs(void)
{
    uint64_t value;
    __asm__ volatile("mov %%gs:8,%0" : "=r"(value));
    return value;
}

static void on_signal(int signal)
{
    (void)signal;
    handled++;
    wrong += through_gs() % 1000 != 8;
}

static uint64_t toil(unsigned rounds)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < rounds; i++) {
        sum = sum * 31 + through_gs();
        __asm__ volatile("addq $1000,%%gs:8" ::: "memory", "cc");
    }
    return sum;
}

static uint64_t own(uint64_t *block, uint64_t seed)
{
    uint64_t base;
    block[1] = seed * 1000000000 + 8;
    if (syscall(SYS_arch_prctl, ARCH_SET_GS, block) ||
        syscall(SYS_arch_prctl, ARCH_GET_GS, &base) || base != (uint64_t)block)
        abort();
    uint64_t sum = toil(2000000);
    if (getauxval(AT_HWCAP2) & 2) {
        static _Thread_local uint64_t other[2];
        other[1] = 8 + seed * 1000;
        __asm__ volatile("wrgsbase %0" ::"r"(other));
        sum ^= toil(1000000);
        __asm__ volatile("rdgsbase %0" : "=r"(base));
        wrong += base != (uint64_t)other;
    }
    return sum;
}

static void *run(void *seed)
{
    uint64_t block[2];
    return (void *)own(block, (uint64_t)seed);
}

int main(void)
{
    uint64_t block[2], base = 1;
    syscall(SYS_arch_prctl, ARCH_GET_GS, &base);
    printf("at first %lu\n", base);
    uint64_t sum = own(block, 1);
    struct itimerval every = {{0, 1000}, {0, 1000}};
    signal(SIGVTALRM, on_signal);
    setitimer(ITIMER_VIRTUAL, &every, NULL);
    while (handled < 5)
        sum ^= toil(1000) & 0;
    setitimer(ITIMER_VIRTUAL, &(struct itimerval){0}, NULL);
    pthread_t id[2];
    for (uint64_t i = 0; i < 2; i++)
        pthread_create(&id[i], NULL, run, (void *)(i + 2));
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(id[i], &result);
        sum = sum * 31 + (uint64_t)result;
    }
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        _exit(through_gs() % 1000 == 8 ? (int)(toil(10) & 0) + 4 : 1);
    int status;
    waitpid(pid, &status, 0);
    printf("%lx, %u wrong, child %d\n", sum, wrong, WEXITSTATUS(status));
    return 0;
}
