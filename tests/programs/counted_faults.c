/* Instructions that fault, or that a single step of the processor would miss; each function runs a
 * number of instructions that is known: its own turns times so many, plus so many.
 * tests/truth/counted-faults.sh. */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <ucontext.h>

enum { TURNS = 300, TRAP_FLAG = 0x100 };

static volatile long skipped;

static void nothing(int signal, siginfo_t *info, void *frame)
{
    (void)signal, (void)info, (void)frame;
}

/* Goes on behind ud2. */
static void skip_two(int signal, siginfo_t *info, void *frame)
{
    (void)signal, (void)info;
    ((ucontext_t *)frame)->uc_mcontext.gregs[REG_RIP] += 2;
    skipped++;
}

/* Lets the same instruction find something. */
static void repair(int signal, siginfo_t *info, void *frame)
{
    static char something;
    (void)signal, (void)info;
    ((ucontext_t *)frame)->uc_mcontext.gregs[REG_RDI] = (greg_t)(uintptr_t)&something;
}

/* 3 a turn, and 2. */
__attribute__((noinline, naked)) static void breakpoints(void)
{
    __asm__("mov $300,%ecx\n1: int3\n dec %ecx\n jnz 1b\n ret");
}

/* 3 a turn, and 2: ud2 faults and is none. */
__attribute__((noinline, naked)) static void undefined(void)
{
    __asm__("mov $300,%ecx\n1: nop\n ud2\n dec %ecx\n jnz 1b\n ret");
}

/* 6 a turn, and 5. Returns all flags that were seen behind a load of %ss. */
__attribute__((noinline, naked)) static unsigned long stack_segment(void)
{
    __asm__("xor %eax,%eax\n mov $300,%ecx\n mov %ss,%edx\n"
            "1: mov %edx,%ss\n pushfq\n pop %rsi\n or %rsi,%rax\n dec %ecx\n jnz 1b\n"
            "mov %edx,%ss\n ret");
}

/* 5 a turn, and 2. */
__attribute__((noinline, naked)) static void stack_segment_memory(void)
{
    __asm__("mov $300,%ecx\n1: mov %ss,kept_segment(%rip)\n mov kept_segment(%rip),%ss\n nop\n"
            "dec %ecx\n jnz 1b\n ret\n"
            ".pushsection .bss\nkept_segment: .skip 8\n.popsection");
}

/* 5 a turn, and 2. */
__attribute__((noinline, naked)) static void repaired(void)
{
    __asm__("mov $300,%ecx\n1: xor %edi,%edi\n nop\n mov (%rdi),%al\n dec %ecx\n jnz 1b\n ret");
}

static bool handle(int signal, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    return sigaction(signal, &action, NULL) == 0;
}

int main(void)
{
    if (!handle(SIGTRAP, nothing) || !handle(SIGILL, skip_two) || !handle(SIGSEGV, repair))
        return 1;
    breakpoints();
    undefined();
    bool stepped = stack_segment() & TRAP_FLAG;
    stack_segment_memory();
    repaired();
    printf("%s, %ld skipped\n", stepped ? "the trap flag is seen" : "no trap flag", skipped);
    return stepped || skipped != TURNS;
}
