/* Gives up the time stamp counter in the middle of a run. From then on the only SIGSEGV is that of
 * the program's own rdtsc; threads and forks, which inherit that, work and end as before, and so
 * does a change of code. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static volatile int faults;

static void on_fault(int signal, siginfo_t *info, void *frame)
{
    greg_t *at = ((ucontext_t *)frame)->uc_mcontext.gregs;
    (void)signal, (void)info;
    if (memcmp((const void *)at[REG_RIP], "\x0f\x31", 2) != 0)
        _exit(9); /* not ours to skip */
    at[REG_RIP] += 2;
    faults = faults + 1;
}

static uint64_t toil(uint64_t x)
{
    for (int i = 0; i < 10000000; i++)
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return x;
}

static void *thread(void *x)
{
    *(uint64_t *)x = toil(*(uint64_t *)x);
    return NULL;
}

static uint64_t in_thread(uint64_t x)
{
    pthread_t id;
    pthread_create(&id, NULL, thread, &x);
    pthread_join(id, NULL);
    return x;
}

int main(void)
{
    uint64_t x = in_thread(toil(1));
    sigaction(SIGSEGV, &(struct sigaction){.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO}, NULL);
    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
        puts("the time stamp counter cannot be given up here");
    x = in_thread(toil(x));
    void *page = (void *)((uintptr_t)toil & -4096);
    mprotect(page, 4096, PROT_READ | PROT_EXEC);
    printf("%lx, %d faults\n", x, faults);
    __asm__ volatile("rdtsc" : : : "rax", "rdx");
    printf("%d faults\n", faults);
    fflush(stdout);
    int status;
    pid_t pid = fork();
    if (pid == 0)
        _exit(toil(x) & 1);
    waitpid(pid, &status, 0);
    printf("%lx, status %x\n", toil(x), status);
    return 0;
}
