/* The pace of the core: a chain of additions takes a cycle each, so that its time tells what no clock does. */
#pragma once

#include <stdint.h>
#include <time.h>

enum { CHAIN_TURNS = 20000, CHAIN_ADDS = 100, CHAIN_RUNS = 7 };

static inline uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Cycles a nanosecond: the fastest of some runs, since nothing makes a chain faster than its core is. */
static inline double pace(void)
{
    uint64_t least = UINT64_MAX;
    for (int run = 0; run < CHAIN_RUNS; run++) {
        uint64_t turns = CHAIN_TURNS, sum = 1, begin = now_ns();
        __asm__ volatile("1:\n\t"
                         ".rept 100\n\t"
                         "add %1, %1\n\t"
                         ".endr\n\t"
                         "dec %0\n\t"
                         "jnz 1b"
                         : "+r"(turns), "+r"(sum)
                         :
                         : "cc");
        uint64_t ns = now_ns() - begin;
        least = ns < least ? ns : least;
    }
    return (double)CHAIN_TURNS * CHAIN_ADDS / (double)least;
}
