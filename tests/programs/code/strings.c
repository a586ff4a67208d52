/* String instructions, long and short, forwards and backwards, of every width, and one that faults
 * in its middle and is taken up again where it was. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

static char *area;
static volatile unsigned faults, wrong;
static volatile uint64_t left;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
    (void)signal;
    faults++;
    left = (uint64_t)g[REG_RCX];
    wrong += (greg_t)info->si_addr != g[REG_RDI];
    mprotect((char *)((uint64_t)info->si_addr & ~UINT64_C(4095)), 4096, PROT_READ | PROT_WRITE);
}

static uint64_t widths(uint64_t n)
{
    static uint64_t from[40], to[40];
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        void *s = from, *d = to;
        uint64_t c = i % 40;
        from[i % 40] = i * 0x9E3779B97F4A7C15u;
        __asm__ volatile("rep movsq" : "+S"(s), "+D"(d), "+c"(c)::"memory");
        s = from, d = (char *)to + 3, c = i % 33;
        __asm__ volatile("rep movsl" : "+S"(s), "+D"(d), "+c"(c)::"memory");
        d = to, c = i % 40;
        __asm__ volatile("rep stosw" : "+D"(d), "+c"(c) : "a"(i) : "memory");
        s = from, d = to, c = 40;
        __asm__ volatile("repe cmpsb" : "+S"(s), "+D"(d), "+c"(c)::"memory", "cc");
        sum = sum * 31 + c;
        d = to, c = 320;
        __asm__ volatile("repne scasb" : "+D"(d), "+c"(c) : "a"((char)i) : "memory", "cc");
        sum = sum * 31 + c;
        s = from;
        __asm__ volatile("lodsq\n xor %%rax,%0\n lodsb\n add %%rax,%0"
                         : "+r"(sum), "+S"(s)::"rax", "memory", "cc");
    }
    return sum;
}

int main(void)
{
    printf("%lx\n", widths(100000));
    sigaction(SIGSEGV, &(struct sigaction){.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO}, NULL);
    area = mmap(NULL, 16 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t sum = 0;
    for (int round = 0; round < 100; round++) {
        mprotect(area + 4096, 14 * 4096, PROT_NONE);
        void *d = area + 100;
        uint64_t c = 12 * 4096;
        __asm__ volatile("rep stosb" : "+D"(d), "+c"(c) : "a"(round) : "memory");
        sum = sum * 31 + left + c;
        for (int i = 0; i < 12; i++)
            sum = sum * 31 + (unsigned char)area[i * 4096 + 200];
    }
    printf("%lx, %u faults, %u wrong\n", sum, faults, wrong);
    return 0;
}
