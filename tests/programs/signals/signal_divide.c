/* SIGFPE of integers and of floating point, stepped over or mended by the handler, with its code.
 */
#include <fenv.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
/* link: -lm */

enum { ROUNDS = 1000 };
uint64_t quotient(uint64_t a, uint64_t b);
extern char quotient_div[], quotient_after[];
__asm__(".text\nquotient: mov %rdi,%rax\n xor %edx,%edx\nquotient_div: div %rsi\nquotient_after: "
        "ret\n");

static volatile unsigned integers, floats;
static volatile int last_code;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    ucontext_t *uc = context;
    greg_t *g = uc->uc_mcontext.gregs;
    (void)signal;
    last_code = info->si_code;
    if (info->si_code == FPE_INTDIV) {
        if (g[REG_RIP] != (greg_t)quotient_div || info->si_addr != (void *)quotient_div)
            abort();
        integers++;
        g[REG_RAX] = 777;
        g[REG_RIP] = (greg_t)quotient_after;
    } else {
        floats++;
        uc->uc_mcontext.fpregs->mxcsr |= 0x1f80; /* from now on masked: tries again */
        uc->uc_mcontext.fpregs->mxcsr &= ~0x3fu;
    }
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGFPE, &action, NULL);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < ROUNDS; i++)
        sum = sum * 31 + quotient(i * 1000, i % 3);
    printf("%lx, %u integers, code %d\n", sum, integers, last_code);
    volatile double zero = 0, one = 1;
    double total = 0;
    for (int i = 0; i < ROUNDS; i++) {
        feenableexcept(FE_DIVBYZERO | FE_INVALID);
        total += (one / zero > 1e300) + 1;
    }
    printf("%g, %u floats, code %d\n", total, floats, last_code);
    fflush(stdout);
    signal(SIGFPE, SIG_DFL);
    return (int)quotient(1, 0);
}
