/* Preemption as Go does it: the handler of a timer's signal pushes the interrupted pc and lets the
 * thread go on in a stub, which keeps all registers and flags and returns there. A trap that nobody
 * made ends the program with status 9. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

enum { TICK_US = 400, TURNS = 2000000 };
static volatile uint64_t preempted;
static uint64_t first, last;

void stub(void);
__attribute__((noinline, used)) void stub_body(void)
{
    preempted++;
}
__asm__(".text\nstub:\n"
        "  pushfq\n  push %rax\n  push %rcx\n  push %rdx\n  push %rbx\n  push %rbp\n  push %rsi\n"
        "  push %rdi\n  push %r8\n  push %r9\n  push %r10\n  push %r11\n  push %r12\n"
        "  push %r13\n  push %r14\n  push %r15\n"
        "  mov %rsp,%rbp\n  cld\n  and $-16,%rsp\n  call stub_body\n  mov %rbp,%rsp\n"
        "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %r11\n  pop %r10\n  pop %r9\n"
        "  pop %r8\n  pop %rdi\n  pop %rsi\n  pop %rbp\n  pop %rbx\n  pop %rdx\n  pop %rcx\n"
        "  pop %rax\n  popfq\n  ret\n");

static void on_tick(int signal, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    uint64_t pc = (uint64_t)registers[REG_RIP];
    (void)signal, (void)info;
    if (pc < first || pc >= last)
        return;
    uint64_t *sp = (uint64_t *)registers[REG_RSP] - 1;
    *sp = pc;
    registers[REG_RSP] = (greg_t)sp;
    registers[REG_RIP] = (greg_t)stub;
}

static void on_trap(int signal)
{
    (void)signal;
    _exit(9);
}

/* No function here uses the red zone, which the stub overwrites. */
#define WORK __attribute__((section(".text.preempted"), noinline))
WORK static uint64_t leaf(uint64_t a, uint64_t b)
{
    if (a > b)
        return a - b * 3;
    return (a ^ b) & 1 ? a * 5 + b : a + (b >> 3);
}

WORK static uint64_t deep(uint64_t n, uint64_t value)
{
    if (n == 0)
        return leaf(value, value >> 7);
    uint64_t result = deep(n - 1, value * 31 + n);
    return result > value ? result ^ leaf(n, result) : result + leaf(value, n);
}

WORK static uint64_t work(uint64_t turns)
{
    uint64_t sum = 1;
    for (uint64_t i = 0; i < turns; i++) {
        sum = sum * UINT64_C(6364136223846793005) + leaf(sum, i);
        if (i % 64 == 0)
            sum ^= deep(i & 15, sum);
    }
    return sum;
}

WORK static void work_ends(void)
{
    __asm__ volatile("");
}

static void range_extend(uint64_t address)
{
    first = !first || address < first ? address : first;
    last = address > last ? address : last;
}

int main(void)
{
    struct itimerval often = {{0, TICK_US}, {0, TICK_US}};
    struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART};
    range_extend((uint64_t)leaf);
    range_extend((uint64_t)deep);
    range_extend((uint64_t)work);
    range_extend((uint64_t)work_ends);
    work_ends();
    signal(SIGTRAP, on_trap);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    uint64_t sum = 0;
    for (int i = 0; i < 8 || (!preempted && i < 1000); i++)
        sum = i < 8 ? sum ^ work(TURNS + (uint64_t)i) : sum + 0 * work(TURNS);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    printf("%lx, %s\n", sum, preempted ? "preempted" : "never preempted");
    return 0;
}
