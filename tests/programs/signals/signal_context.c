/* Handlers of asynchronous signals that look at what they interrupted and change it: the pc lies in
 * the loop that runs, registers there hold the loop's values, and moving the pc ends the loop. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

enum { ROUNDS = 100 };
uint64_t spin(uint64_t magic);
extern char spin_loop[], spin_end[], spin_out[];
/* r8 = ~rdi, r9 = rdi * 3 throughout; nothing but the handler ends it. */
__asm__(".text\nspin: mov %rdi,%r8\n not %r8\n lea (%rdi,%rdi,2),%r9\n xor %eax,%eax\n"
        "spin_loop: add $1,%rax\n mov %rax,%rcx\n and $1023,%ecx\n jnz spin_loop\n mov %r9,%r10\n"
        "call spin_leaf\n jmp spin_loop\n"
        "spin_leaf: xor %edx,%edx\n sub %r9,%r10\n ret\n"
        "spin_end: ud2\nspin_out: mov %r11,%rax\n ret\n");

static volatile unsigned wrong, elsewhere, hits;

static void on_signal(int signal, siginfo_t *info, void *context)
{
    greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
    (void)signal, (void)info;
    if (g[REG_RIP] < (greg_t)spin_loop || g[REG_RIP] >= (greg_t)spin_end) {
        elsewhere++;
        return;
    }
    wrong += g[REG_R8] != ~g[REG_RDI] || g[REG_R9] != g[REG_RDI] * 3;
    hits++;
    static uint64_t *stack;
    stack = (uint64_t *)g[REG_RSP];
    /* In the leaf the loop's return address lies on top. */
    if (stack[0] >= (uint64_t)spin_loop && stack[0] < (uint64_t)spin_end)
        g[REG_RSP] += 8;
    g[REG_RIP] = (greg_t)spin_out;
    g[REG_R11] = g[REG_RDI] + 1;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < ROUNDS; i++) {
        struct itimerval once = {{0, 1000}, {0, 1000}};
        setitimer(ITIMER_REAL, &once, NULL);
        sum = sum * 31 + spin(i * 1000);
    }
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    printf("%lx, %u hits, %u wrong\n", sum, hits, wrong);
    return 0;
}
