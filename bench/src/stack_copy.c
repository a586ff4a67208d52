/* What the agent takes for the stack of one sample: to copy it, to reduce it to addresses, and to
 * write it to the ring. Half of the words are addresses, zeros and numbers a quarter each. Between
 * two copies so much other memory is read that the agent's own is no longer in the first cache. */
#include "agent/base/stack_copy.h"

#include "agent/base/kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 20000, OTHER_BYTES = 1 << 17 };

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int main(void)
{
    static struct stack_copy copy;
    static uint64_t stack[STACK_COPY_BYTES / 8], ring[1 << 16], other[OTHER_BYTES / 8];
    static const uint64_t sizes[] = {512, 1024, 2048, 4096, 8192, STACK_COPY_BYTES};
    volatile uint64_t sink = 0;
    uint64_t seed = 1;
    for (size_t i = 0; i < STACK_COPY_BYTES / 8; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint64_t kind = seed >> 62;
        stack[i] = kind >= 2 ? 0x7f0000000000 + (seed >> 40) : kind ? seed | 1ull << 63 : 0;
    }
    printf("%8s %9s %9s %9s\n", "bytes", "take, ns", "write, ns", "sent");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct kernel_ucontext frame = {.rsp = (uint64_t)stack};
        uint64_t take = 0, write = 0, at = 0;
        for (int round = 0; round < ROUNDS; round++) {
            for (size_t i = 0; i < OTHER_BYTES / 8; i += 8)
                sink += other[i];
            stack[round % 64] += 8;
            uint64_t begun = now_ns();
            uint32_t got =
                stack_copy_take(&copy, &frame, (uint64_t)stack + sizes[s] - STACK_BEGIN_BYTES);
            uint64_t taken = now_ns();
            stack_copy_write(&copy, ring + at);
            at = (at + stack_copy_bytes(&copy) / 8) % ((1 << 16) - 4096);
            take += taken - begun;
            write += now_ns() - taken;
            if (got != sizes[s])
                abort();
        }
        printf("%8" PRIu64 " %9.0f %9.0f %9u\n", sizes[s], (double)take / ROUNDS,
               (double)write / ROUNDS, stack_copy_bytes(&copy));
    }
    return 0;
}
