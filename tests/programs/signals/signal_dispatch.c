/* Syscall user dispatch, as Wine uses it: while a byte says so, every system call becomes a SIGSYS
 * that the program answers itself. Faults and traps come meanwhile, too. Nobody else's system call
 * may be in between: the program would get that signal, or die of it. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
enum { ROUNDS = 60, ANSWER = 4242 };

static __thread volatile char selector;
static __thread long dispatched, trapped, faulted;
static char *nowhere;

static long getppid_raw(void)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_getppid) : "rcx", "r11", "memory");
    return result;
}

/* The return from a handler is a system call, too. */
static void on_sys(int signal, siginfo_t *info, void *context)
{
    selector = 0;
    (void)signal;
    dispatched += info->si_syscall == SYS_getppid;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = ANSWER;
}

static void on_trap(int signal)
{
    selector = 0;
    (void)signal;
    trapped++;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    selector = 0;
    (void)signal;
    faulted += info->si_addr == nowhere;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 3; /* movb $0,(%rax) */
}

static unsigned long toil(unsigned long x)
{
    for (int i = 0; i < 100000; i++)
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return x;
}

static void *rounds(void *closure)
{
    unsigned long x = toil((unsigned long)closure);
    long wrong = 0;
    if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, 0, 0, &selector)) {
        printf("not here: %d\n", errno);
        return NULL;
    }
    for (int i = 0; i < ROUNDS; i++) {
        x = toil(x);
        selector = 1;
        wrong += getppid_raw() != ANSWER;
        selector = 1;
        __asm__ volatile("int3");
        selector = 1;
        __asm__ volatile("movb $0,(%0)" : : "a"(nowhere) : "memory");
        selector = 1;
        x = toil(x);
        selector = 0;
    }
    /* Off again: what the kernel answers is right. */
    prctl(PR_SET_SYSCALL_USER_DISPATCH, 0, 0, 0, 0);
    wrong += getppid_raw() != getppid();
    printf("%ld dispatched, %ld trapped, %ld faulted, %ld wrong, %lx\n", dispatched, trapped,
           faulted, wrong, toil(x));
    return NULL;
}

int main(void)
{
    pthread_t thread;
    sigaction(SIGSYS, &(struct sigaction){.sa_sigaction = on_sys, .sa_flags = SA_SIGINFO}, NULL);
    sigaction(SIGTRAP, &(struct sigaction){.sa_handler = on_trap}, NULL);
    sigaction(SIGSEGV, &(struct sigaction){.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO}, NULL);
    nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    printf("%lx\n", toil(7));
    rounds((void *)1);
    pthread_create(&thread, NULL, rounds, (void *)2);
    pthread_join(thread, NULL);
    return 0;
}
