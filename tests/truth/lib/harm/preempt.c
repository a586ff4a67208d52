/* Preemption as Go does it: the handler pushes the interrupted place on the program's stack and goes on in a stub,
 * which keeps every register, does something, and returns to that place. A handler of SIGTRAP must see none. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

static volatile uint64_t stubs;
void preempted(void);
void count_preempted(void) { stubs++; }
__asm__(".text\n.globl preempted\npreempted:\n"
        "pushfq\npush %rax\npush %rcx\npush %rdx\npush %rsi\npush %rdi\npush %r8\npush %r9\npush %r10\npush %r11\npush %rbp\n"
        "mov %rsp, %rbp\nsub $512, %rsp\nand $-16, %rsp\nfxsave (%rsp)\ncall count_preempted\nfxrstor (%rsp)\nmov %rbp, %rsp\n"
        "pop %rbp\npop %r11\npop %r10\npop %r9\npop %r8\npop %rdi\npop %rsi\npop %rdx\npop %rcx\npop %rax\npopfq\nret $128\n");

static void on_alarm(int number, siginfo_t *info, void *context)
{
    ucontext_t *at = context;
    greg_t *r = at->uc_mcontext.gregs;
    (void)number, (void)info;
    /* The red zone stays as it is: the stub's return takes it away again. */
    r[REG_RSP] -= 128 + 8;
    *(uint64_t *)r[REG_RSP] = (uint64_t)r[REG_RIP];
    r[REG_RIP] = (greg_t)(uintptr_t)preempted;
}

static void on_trap(int number)
{
    (void)number;
    write(1, "a trap\n", 7);
    _exit(9);
}

static uint64_t compute(uint64_t seed, int n)
{
    uint64_t s = seed;
    double d = 1;
    for (int i = 0; i < n; i++) {
        s = s * 6364136223846793005u + (uint64_t)i;
        s ^= s >> 29;
        d = d * 1.0000001 + (double)(s & 7);
        if (d > 1e9)
            d /= 3;
    }
    return s + (uint64_t)d;
}

int main(void)
{
    struct sigaction action = { .sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO | SA_RESTART };
    sigaction(SIGALRM, &action, NULL);
    signal(SIGTRAP, on_trap);
    struct itimerval timer = { { 0, 300 }, { 0, 300 } };
    setitimer(ITIMER_REAL, &timer, NULL);
    uint64_t sum = 0;
    for (int round = 0; round < 60; round++)
        sum = compute(sum + (uint64_t)round, 800000);
    timer = (struct itimerval){ 0 };
    setitimer(ITIMER_REAL, &timer, NULL);
    printf("%llx %s\n", (unsigned long long)sum, stubs > 10 ? "preempted" : "seldom");
    return 0;
}
