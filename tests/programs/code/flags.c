/* Flags in every way that a program can see or set them: pushf, popf, lahf, sahf, the direction
 * flag through string instructions, carries through long loops, the trap flag. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile unsigned traps;
static void on_trap(int signal)
{
    (void)signal;
    traps++;
}

static uint64_t all_flags(uint64_t a, uint64_t b)
{
    uint64_t flags, sum = 0;
    __asm__("sub $128,%%rsp\n add %2,%1\n pushfq\n pop %0\n add $128,%%rsp"
            : "=&r"(flags), "+r"(a)
            : "r"(b)
            : "cc");
    sum = flags;
    __asm__("sub $128,%%rsp\n imul %2,%1\n adc $5,%1\n pushfq\n pop %0\n add $128,%%rsp"
            : "=&r"(flags), "+r"(a)
            : "r"(b)
            : "cc");
    return sum * 31 + (flags & ~UINT64_C(0x10)) +
           a; /* adjust is defined after adc; kept out all the same */
}

static uint64_t restored(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t wanted = (i * 2654435761u & 0xcd5) | 0x202, got;
        __asm__ volatile("sub $128,%%rsp\n push %1\n popfq\n pushfq\n pop %0\n cld\n add $128,%%rsp"
                         : "=r"(got)
                         : "r"(wanted & ~UINT64_C(0x400))
                         : "cc", "memory");
        sum = sum * 31 + got;
        uint8_t ah;
        __asm__ volatile("mov %1,%%ah\n sahf\n lahf\n mov %%ah,%0"
                         : "=Q"(ah)
                         : "Q"((uint8_t)i)
                         : "rax", "cc");
        sum += ah;
    }
    return sum;
}

static uint64_t backwards(uint64_t n)
{
    static unsigned char from[300], to[300];
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        from[i % 300] = (unsigned char)i;
        unsigned char *s = from + 299, *d = to + 299;
        uint64_t count = 1 + i % 300;
        __asm__ volatile("std\n rep movsb\n cld" : "+S"(s), "+D"(d), "+c"(count)::"memory", "cc");
        sum = sum * 31 + to[299 - i % 300];
    }
    return sum;
}

/* A carry travels through a loop whose counter must not touch it. */
static uint64_t carries(uint64_t n)
{
    uint64_t number[64], sum = 0;
    memset(number, 0xff, sizeof number);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t *at = number, left = 64;
        __asm__ volatile("mov %2,%%rax\n add %%rax,(%0)\n lea 8(%0),%0\n dec %1\n"
                         "1: adcq $0,(%0)\n lea 8(%0),%0\n dec %1\n jnz 1b"
                         : "+r"(at), "+r"(left)
                         : "r"(i + 1)
                         : "rax", "cc", "memory");
        sum = sum * 31 + number[63] + number[0];
    }
    return sum;
}

int main(void)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < 300000; i++)
        sum = sum * 31 + all_flags(i << 40, i * i << 3);
    printf("%lx %lx %lx %lx\n", sum, restored(300000), backwards(40000), carries(40000));
    signal(SIGTRAP, on_trap);
    for (int i = 0; i < 100; i++)
        __asm__ volatile(
            "sub $256,%%rsp\n pushfq\n orl $0x100,(%%rsp)\n popfq\n"
            "nop\n xor %%eax,%%eax\n cpuid\n pushfq\n pop %%rax\n and $0xfffffffffffffeff,%%rax\n"
            "push %%rax\n popfq\n add $256,%%rsp" ::
                : "rax", "rbx", "rcx", "rdx", "memory", "cc");
    printf("%u traps\n", traps);
    return 0;
}
