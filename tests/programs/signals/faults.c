/* Faults of the program's own, many of them, with handlers that look at where they happened: a
 * write barrier, a division by zero, a null pointer left by siglongjmp, an overflowing stack. What
 * it prints must not depend on who is watching. */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { ROUNDS = 3000 };

void poke(volatile char *at, uint64_t n);
extern char poke_store[];
__asm__(".text\npoke: mov %rsi,%rax\n1: imul $17,%rax,%rax\n add $3,%rax\n dec %rsi\n jnz 1b\n"
        "poke_store: mov %al,(%rdi)\n ret\n");

static volatile char *page;
static unsigned long barrier_hits, wrong_pc, wrong_address, wrong_mask;
static sigjmp_buf escape;

static void on_barrier(int signal, siginfo_t *info, void *context)
{
    ucontext_t *uc = context;
    barrier_hits++;
    wrong_pc += (uint64_t)uc->uc_mcontext.gregs[REG_RIP] != (uint64_t)poke_store;
    wrong_address += info->si_addr != page || signal != SIGSEGV;
    sigset_t now;
    sigprocmask(SIG_BLOCK, NULL, &now);
    wrong_mask += !sigismember(&now, SIGSEGV) || sigismember(&uc->uc_sigmask, SIGUSR1) ||
                  !sigismember(&now, SIGUSR1);
    mprotect((void *)page, 4096, PROT_READ | PROT_WRITE);
}

static void on_divide(int signal, siginfo_t *info, void *context)
{
    (void)info;
    ucontext_t *uc = context;
    if (signal != SIGFPE)
        abort();
    uc->uc_mcontext.gregs[REG_RCX] = 3; /* the divisor below: try again */
}

static uint64_t divide(uint64_t by, uint64_t n)
{
    uint64_t result;
    __asm__ volatile("mov %1,%%rcx\n xor %%edx,%%edx\n mov %2,%%rax\n div %%rcx\n mov %%rax,%0"
                     : "=r"(result)
                     : "r"(by), "r"(n)
                     : "rax", "rcx", "rdx", "cc");
    return result;
}

static void on_escape(int signal)
{
    siglongjmp(escape, signal);
}

static int dive(volatile char *from)
{
    volatile char here[512];
    here[0] = *from;
    return dive(here) + here[0];
}

static void barrier(void)
{
    struct sigaction action = {.sa_sigaction = on_barrier, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR1);
    sigaction(SIGSEGV, &action, NULL);
    page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned sum = 0;
    for (uint64_t i = 0; i < ROUNDS; i++) {
        mprotect((void *)page, 4096, PROT_NONE);
        poke(page, 20000 + i % 1000);
        sum = sum * 31 + (unsigned char)*page;
    }
    printf("barrier %lu %lu %lu %lu %u\n", barrier_hits, wrong_pc, wrong_address, wrong_mask, sum);
}

int main(void)
{
    barrier();
    struct sigaction divided = {.sa_sigaction = on_divide, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGFPE, &divided, NULL);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < ROUNDS; i++)
        sum += divide(i % 5, i * 1000);
    printf("divided %lu\n", sum);

    signal(SIGSEGV, on_escape);
    volatile unsigned escaped = 0;
    for (volatile unsigned i = 0; i < ROUNDS; i++) {
        int how = sigsetjmp(escape, 1);
        if (how == 0)
            *(volatile char *)(uint64_t)(i % 7) = 1;
        escaped += how == SIGSEGV;
    }
    printf("escaped %u\n", escaped);

    static char alternate[65536];
    sigaltstack(&(stack_t){.ss_sp = alternate, .ss_size = sizeof alternate}, NULL);
    struct sigaction deep = {.sa_handler = on_escape, .sa_flags = SA_ONSTACK};
    sigaction(SIGSEGV, &deep, NULL);
    for (volatile int i = 0; i < 3; i++)
        if (sigsetjmp(escape, 1) == 0)
            dive(alternate);
    struct sigaction now;
    sigaction(SIGSEGV, NULL, &now);
    printf("overflowed, handler %s, flags %x\n", now.sa_handler == on_escape ? "kept" : "lost",
           (unsigned)now.sa_flags & ~0x04000000u);
    fflush(stdout);
    signal(SIGFPE, SIG_DFL);
    return (int)divide(0, 1);
}
