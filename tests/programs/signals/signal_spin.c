/* Loops that are branches and nothing else: a signal ends them all the same. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static sigjmp_buf out;

static void handler(int signal)
{
    (void)signal;
    siglongjmp(out, 1);
}

static void one_jump(void)
{
    __asm__ volatile("1: jmp 1b");
}

static void three_jumps(void)
{
    __asm__ volatile("1: jmp 2f\n.skip 4096\n"
                     "3: jmp 1b\n.skip 4096\n"
                     "2: jmp 3b");
}

static void conditional(void)
{
    __asm__ volatile("test %%eax,%%eax\n"
                     "1: jz 2f\n"
                     "jnz 1b\n"
                     "2: jz 1b\n"
                     "jmp 1b" ::"a"(0)
                     : "cc");
}

static void indirect(void)
{
    __asm__ volatile("lea 1f(%%rip),%%rax\n"
                     "1: jmp *%%rax" ::
                         : "rax");
}

int main(void)
{
    static void (*const loops[])(void) = {one_jump, three_jumps, conditional, indirect};
    const struct itimerval soon = {.it_value.tv_usec = 20000};
    signal(SIGALRM, handler);
    for (int i = 0; i < 4; i++) {
        if (!sigsetjmp(out, 1)) {
            setitimer(ITIMER_REAL, &soon, NULL);
            loops[i]();
        }
        printf("out of %d\n", i);
    }
    return 0;
}
