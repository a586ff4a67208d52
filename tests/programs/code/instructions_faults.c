/* Instructions that raise a signal: the program's handler must see it, at the right place, and the
 * program must go on. */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <ucontext.h>

static sigjmp_buf back;
static volatile int seen, code;
static volatile uint64_t seen_pc, seen_registers;

static void on_signal(int signal, siginfo_t *info, void *state)
{
    const ucontext_t *context = state;
    uint64_t registers = 0;
    for (int i = REG_R8; i < REG_RSP; i++)
        registers = registers * 31 + (i == REG_RBP ? 0 : (uint64_t)context->uc_mcontext.gregs[i]);
    seen = signal;
    code = info->si_code;
    seen_pc = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
    seen_registers = registers;
    siglongjmp(back, 1);
}

/* The instruction itself, between two labels, with known registers. */
#define ATTEMPT(name, text)                                                                        \
    do {                                                                                           \
        extern char before_##name[], behind_##name[];                                              \
        seen = 0;                                                                                  \
        if (!sigsetjmp(back, 1))                                                                   \
            __asm__ volatile("xor %%eax,%%eax; xor %%ecx,%%ecx; xor %%edx,%%edx; mov $1,%%r8d\n"   \
                             "mov $2,%%r9d; mov $3,%%r10d; mov $4,%%r11d; mov $5,%%r12d\n"         \
                             "mov $6,%%r13d; mov $7,%%r14d; mov $8,%%r15d; mov $9,%%edi\n"         \
                             "mov $10,%%esi; mov $11,%%ebx\n"                                      \
                             ".globl before_" #name "\n before_" #name ": " text "\n"              \
                             ".globl behind_" #name "\n behind_" #name ": nop"                     \
                             :                                                                     \
                             :                                                                     \
                             : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", \
                               "r12", "r13", "r14", "r15", "memory", "cc");                        \
        printf("%s: signal %d, code %d, at %s, registers %lx\n", #name, seen, code,                \
               !seen                                ? "-"                                          \
               : seen_pc == (uint64_t)before_##name ? "it"                                         \
               : seen_pc == (uint64_t)behind_##name ? "the next"                                   \
                                                    : "its target",                                \
               seen ? seen_registers : 0);                                                         \
    } while (0)

static void attempts(void)
{
    ATTEMPT(ud2, "ud2");
    ATTEMPT(hlt, "hlt");
    ATTEMPT(cli, "cli");
    ATTEMPT(int3, "int3");
    ATTEMPT(int_3, ".byte 0xcd,3");
    ATTEMPT(int_4, "int $4");
    ATTEMPT(int_81, "int $0x81");
    ATTEMPT(icebp, ".byte 0xf1");
    ATTEMPT(in, "in $0x70,%%al");
    ATTEMPT(rdmsr, "rdmsr");
    ATTEMPT(push_es, ".byte 0x06");
    ATTEMPT(rex2, ".byte 0xd5,0,0x90");
    ATTEMPT(through_gs, "lock addl $1,%%gs:0");
    ATTEMPT(to_segment, "mov $0x1234,%%edx; mov %%edx,%%ds");
    ATTEMPT(jump_to_nothing, "jmp *%%rcx");
    ATTEMPT(jump_far_to_nothing, "movabs $0x7ff123456789,%%rax; jmp *%%rax");
    ATTEMPT(call_nothing, "call *%%rcx");
    ATTEMPT(divide, "div %%ecx");
    ATTEMPT(load, "mov (%%rcx),%%rax");
    ATTEMPT(swapgs, "swapgs");
    ATTEMPT(xsetbv, "xsetbv");
}

/* It faults at the jump or at its target, by the processor's maker: only the signal is the same. */
static void jump_no_address(void)
{
    seen = 0;
    if (!sigsetjmp(back, 1))
        __asm__ volatile("jmp *%0" ::"r"(0xdead000000000000));
    printf("jump to no address: signal %d\n", seen);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
    for (int i = 0; i < 5; i++)
        sigaction(signals[i], &action, NULL);
    for (int round = 0; round < 20; round++) {
        attempts();
        jump_no_address();
    }
    return 0;
}
