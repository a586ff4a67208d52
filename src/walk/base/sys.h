/* System calls without libc. Results are the kernel's: -errno on failure. */
#pragma once

#include <stdbool.h>

static inline long sys6(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static inline long sys3(long number, long a, long b, long c)
{
    return sys6(number, a, b, c, 0, 0, 0);
}

static inline bool sys_failed(long result)
{
    return result < 0 && result > -4096;
}

static inline unsigned long sys_tsc(void)
{
    unsigned int low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (unsigned long)high << 32 | low;
}

/* All instructions before it are complete, and none after it has begun. */
static inline unsigned long sys_tsc_fenced(void)
{
    __asm__ volatile("lfence" ::: "memory");
    unsigned long now = sys_tsc();
    __asm__ volatile("lfence" ::: "memory");
    return now;
}

/* CPU and node in one number, plus one, as the kernel keeps them in a segment limit for the vDSO's
 * getcpu. No system call, which a filter might refuse. 0: not available. */
static inline unsigned int sys_cpu_node(void)
{
    unsigned int limit = 0, selector = 0x7b;
    unsigned char valid;
    __asm__ volatile("lsl %2, %0\n\tsetz %1" : "+r"(limit), "=q"(valid) : "r"(selector) : "cc");
    return valid ? limit + 1 : 0;
}
