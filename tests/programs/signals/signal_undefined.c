/* A branch leads to a byte that is no instruction: SIGILL comes there, and its handler goes on
 * behind it. */
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

static volatile int met;

static void handler(int signal, siginfo_t *info, void *context)
{
    ucontext_t *frame = context;
    (void)signal, (void)info;
    met++;
    frame->uc_mcontext.gregs[REG_RIP]++;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    sigaction(SIGILL, &action, NULL);
    for (int i = 0; i < 1000; i++)
        __asm__ volatile("test $1,%0\n"
                         "jne 1f\n"
                         ".byte 0x06\n" /* push %es, which 64-bit code does not have */
                         "1: jmp 2f\n"
                         "2: .byte 0x06\n" ::"r"(i)
                         : "cc");
    printf("%d\n", met);
    return 0;
}
