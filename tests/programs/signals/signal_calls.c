/* signal_calls [TELL]: one system call instruction, executed many times under a fast timer. A
 * signal may come before the call, which is then executed once, or interrupt it so that the kernel
 * starts it again: the instruction is then executed twice. The handler knows the second case by
 * %rcx, which the first execution has set. TELL prints how often it was executed. */
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

enum { QUICK = 300000, WAITS = 200 };

extern char the_call[];
static int ends[2];
static volatile unsigned long again, awaited;

__attribute__((noinline)) static long call(long number, long a, const void *b, long c)
{
    long result;
    __asm__ volatile("xor %%ecx,%%ecx\n"
                     ".globl the_call\nthe_call: syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c)
                     : "rcx", "r11", "memory");
    return result;
}

static void on_signal(int signal, siginfo_t *info, void *frame)
{
    (void)signal, (void)info;
    greg_t *at = ((ucontext_t *)frame)->uc_mcontext.gregs;
    if (at[REG_RIP] != (greg_t)the_call || at[REG_RCX] != (greg_t)the_call + 2)
        return;
    again = again + 1;
    at[REG_RCX] = 0; /* the next signal may come before the second execution */
    if (awaited && write(ends[1], "x", 1) == 1)
        awaited = 0;
}

static void beat(long us)
{
    setitimer(ITIMER_REAL, &(struct itimerval){{0, us}, {0, us}}, NULL);
}

int main(int argc, char **argv)
{
    unsigned long calls = 0, wrong = 0;
    char byte;
    (void)argv;
    sigaction(SIGALRM,
              &(struct sigaction){.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART},
              NULL);
    if (pipe(ends))
        return 1;
    beat(53);
    for (; calls < QUICK; calls++)
        wrong += call(SYS_getpid, 0, NULL, 0) != getpid();
    beat(1000);
    for (; calls < QUICK + WAITS; calls++) {
        awaited = 1;
        wrong += call(SYS_read, ends[0], &byte, 1) != 1;
    }
    beat(0);
    if (argc > 1)
        printf("executed %lu\n", calls + again);
    printf("again %d, wrong %lu\n", again >= WAITS, wrong);
    return 0;
}
