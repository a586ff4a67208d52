/* Threads that have their system calls dispatched to themselves, beside others that run and have
 * traps and faults of their own. One comes later where the last one was, and is not dispatched. */
int alone(void);
#define main alone
#include "signal_dispatch.c"
#undef main

static volatile int over;
static volatile long beside_trapped;

static void *beside(void *unused)
{
    for (unsigned long x = 5; !over; x = toil(x)) {
        __asm__ volatile("int3");
        beside_trapped += trapped > 0 && getppid_raw() == getppid();
        __asm__ volatile("movb $0,(%0)" : : "a"(nowhere) : "memory");
    }
    if (trapped != faulted || dispatched)
        printf("%ld trapped, %ld faulted, %ld dispatched\n", trapped, faulted, dispatched);
    return unused;
}

int main(void)
{
    pthread_t thread, others[2];
    sigaction(SIGSYS, &(struct sigaction){.sa_sigaction = on_sys, .sa_flags = SA_SIGINFO}, NULL);
    sigaction(SIGTRAP, &(struct sigaction){.sa_handler = on_trap}, NULL);
    sigaction(SIGSEGV, &(struct sigaction){.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO}, NULL);
    nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&others[i], NULL, beside, NULL);
    while (!beside_trapped)
        ;
    for (int i = 0; i < 3; i++) {
        pthread_create(&thread, NULL, rounds, (void *)(long)(3 + i));
        pthread_join(thread, NULL);
        long before = beside_trapped;
        pthread_create(&thread, NULL, beside, NULL);
        while (beside_trapped < before + 50)
            ;
    }
    over = 1;
    pthread_join(thread, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(others[i], NULL);
    return 0;
}
