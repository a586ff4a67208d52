/* Handlers within handlers: deep recursion with SA_NODEFER, a jump out of the deepest, a write fault that a handler
 * repairs on an alternate stack, and an instruction that a handler steps over. */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { PAGES = 64, DEEP = 30 };
static sigjmp_buf out;
static volatile int depth, repaired, skipped, jumps;
static char *pages;

static void on_usr1(int number)
{
    if (++depth < DEEP)
        raise(number);
    else if (jumps % 2)
        siglongjmp(out, depth);
    depth--;
}

static void on_segv(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    char *page = (char *)((uintptr_t)info->si_addr & ~4095ul);
    repaired++;
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
    if (repaired % 16 == 0)
        raise(SIGUSR2); /* waits until this handler ends, on the other stack */
}

static void on_usr2(int number) { (void)number, skipped += 1000; }

static void on_ill(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2; /* ud2 */
    skipped++;
}

int main(void)
{
    stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = on_usr1, .sa_flags = SA_NODEFER }, NULL);
    sigaction(SIGUSR2, &(struct sigaction){ .sa_handler = on_usr2 }, NULL);
    struct sigaction segv = { .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    sigaddset(&segv.sa_mask, SIGUSR2);
    sigaction(SIGSEGV, &segv, NULL);
    sigaction(SIGILL, &(struct sigaction){ .sa_sigaction = on_ill, .sa_flags = SA_SIGINFO }, NULL);
    pages = mmap(NULL, PAGES * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    volatile uint64_t sum = 0; /* kept across jumps */
    for (int round = 0; round < 60; round++) {
        jumps = round;
        depth = 0;
        int came = sigsetjmp(out, 1);
        if (!came)
            raise(SIGUSR1);
        sum = sum * 31 + (uint64_t)came;
        for (int i = 0; i < PAGES; i++)
            pages[i * 4096 + round]++;
        for (int i = 0; i < 50000; i++)
            sum = sum * 31 + (uint64_t)pages[i % (PAGES * 4096)];
        for (int i = 0; i < 20; i++)
            __asm__ volatile("ud2");
        mprotect(pages, PAGES * 4096, PROT_READ);
    }
    printf("%llx %d %d\n", (unsigned long long)sum, repaired, skipped);
    return 0;
}
