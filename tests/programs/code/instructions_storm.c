/* Instructions that exact runs execute alone, under a storm of signals whose handler has some, too;
 * and traps of the program's own, of which none may be lost and none added. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>

enum { ROUNDS = 4000 };
static volatile unsigned handled, trapped;
static volatile uint64_t returned;

static void on_alarm(int signal)
{
    uint64_t result;
    (void)signal;
    __asm__ volatile("lea 1f(%%rip),%%rax; mov %%cs,%%ecx; pushq %%rcx; pushq %%rax\n"
                     "mov $5,%%edx; lretq; mov $6,%%edx\n 1: mov %%rdx,%0"
                     : "=r"(result)::"rax", "rcx", "rdx", "memory");
    returned += result;
    handled++;
}

static void on_trap(int signal)
{
    (void)signal;
    trapped++;
}

static uint64_t return_from_interrupt(void)
{
    uint64_t result;
    __asm__ volatile("mov %%rsp,%%rsi; mov %%ss,%%eax; pushq %%rax; pushq %%rsi; pushfq\n"
                     "mov %%cs,%%eax; pushq %%rax; lea 1f(%%rip),%%rax; pushq %%rax\n"
                     "mov $7,%%edx; iretq; mov $8,%%edx\n 1: mov %%rdx,%0"
                     : "=r"(result)::"rax", "rdx", "rsi", "memory");
    return result;
}

int main(void)
{
    struct itimerval every = {{0, 100}, {0, 100}};
    uint64_t sum = 0;
    unsigned traps = 0;
    signal(SIGTRAP, on_trap);
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &every, NULL);
    for (unsigned i = 0; i < ROUNDS || handled < 20; i++) {
        uint64_t result = return_from_interrupt();
        if (i < ROUNDS)
            sum = sum * 31 + result + i;
        __asm__ volatile("mov %%ds,%%eax; mov %%eax,%%ds" ::: "rax");
        if (i % 10 == 0) {
            __asm__ volatile("int3");
            traps++;
        }
    }
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    printf("%lx, traps %s, handlers %s\n", sum, trapped == traps ? "right" : "wrong",
           returned == UINT64_C(5) * handled ? "right" : "wrong");
    return 0;
}
