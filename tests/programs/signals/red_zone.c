/* A leaf that keeps everything in the 128 bytes below its stack pointer, interrupted often. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>

uint64_t red(uint64_t n);
__asm__(".text\nred: mov $1,%eax\n mov %rax,-8(%rsp)\n mov %rax,-128(%rsp)\n mov %rax,-64(%rsp)\n"
        "1: mov -8(%rsp),%rax\n add -128(%rsp),%rax\n rol $5,%rax\n mov %rax,-64(%rsp)\n"
        "imul $17,-64(%rsp),%rcx\n mov %rcx,-128(%rsp)\n xor %rax,%rcx\n mov %rcx,-8(%rsp)\n"
        "dec %rdi\n jnz 1b\n mov -8(%rsp),%rax\n add -64(%rsp),%rax\n ret\n");

static volatile unsigned ticks;
static void on_tick(int signal)
{
    volatile char big[4000];
    big[0] = (char)signal, big[3999] = (char)signal;
    ticks++;
}

int main(void)
{
    struct itimerval every = {{0, 500}, {0, 500}};
    signal(SIGALRM, on_tick);
    printf("%lx\n", red(10000000));
    setitimer(ITIMER_REAL, &every, NULL);
    printf("%lx\n", red(20000000));
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    return 0;
}
