/* What the tool takes for one stack of a sample: to decode its words, and to unwind it to a node of
 * the profile. Stacks are this program's own, with frames of different sizes; the innermost four
 * differ from one sample to the next. */
#include "base/clock.h"
#include "collect/stacks/walk_stacks.h"
#include "process/mappings.h"
#include "profile/profile.h"
#include "wire/channel.h"
#include "wire/stack_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

enum { SAMPLES = 64, ROUNDS = 200 };

struct taken {
    uint64_t registers[STACK_COPY_REGISTERS];
    uint64_t words[STACK_WORDS_ROOM(STACK_COPY_BYTES / 8)];
    uint32_t n_words, bytes;
};
static struct taken taken[SAMPLES];
static unsigned n_taken;
static uint64_t begin;
static volatile uint64_t sink;

__attribute__((noinline)) static void take(void)
{
    struct taken *to = &taken[n_taken++];
    ucontext_t here;
    getcontext(&here);
    static const int order[STACK_COPY_REGISTERS] = {
        REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP,
        REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    for (int i = 0; i < STACK_COPY_REGISTERS; i++)
        to->registers[i] = (uint64_t)here.uc_mcontext.gregs[order[i]];
    uint64_t sp = to->registers[7];
    static uint64_t raw[STACK_COPY_BYTES / 8];
    to->bytes = (uint32_t)(begin + STACK_BEGIN_BYTES - sp < STACK_COPY_BYTES
                               ? begin + STACK_BEGIN_BYTES - sp
                               : STACK_COPY_BYTES) &
                ~7u;
    memcpy(raw, (const void *)sp, to->bytes);
    to->n_words = stack_words_encode(to->words, raw, to->bytes / 8);
}

static void even(unsigned depth, unsigned way);
__attribute__((noinline)) static void odd(unsigned depth, unsigned way)
{
    volatile uint64_t room[24] = {depth, (uint64_t)&depth};
    if (depth)
        even(depth - 1, way >> 1);
    else
        take();
    sink += room[0];
}
__attribute__((noinline)) static void even(unsigned depth, unsigned way)
{
    volatile uint64_t room[8] = {way};
    if (depth)
        (depth < 4 && way & 1 ? even : odd)(depth - 1, way >> 1);
    else
        take();
    sink += room[0];
}

static void mappings_read(struct mappings *mappings)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512], path[400], rights[8];
    while (maps && fgets(line, sizeof line, maps)) {
        struct wire_map map = {0};
        path[0] = 0;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %399s", &map.start,
                   &map.end, rights, &map.offset, path) >= 4 &&
            rights[2] == 'x' && path[0] == '/')
            mappings_add(mappings, &map, path);
    }
    if (maps)
        fclose(maps);
}

static void measure(unsigned depth)
{
    struct profile profile;
    struct mappings mappings;
    struct stack_past past = {0};
    static struct walk_stacks stacks;
    static uint64_t words[STACK_COPY_BYTES / 8];
    uint64_t decode_ns = 0, walk_ns = 0, bytes = 0, ignored;
    profile_init(&profile);
    mappings_init(&mappings, &profile, (int)getpid());
    mappings_read(&mappings);
    walk_stacks_init(&stacks, &profile);
    uint32_t root = stacks_node(&profile.stacks, STACK_NONE, MODULE_NONE, 1);
    n_taken = 0;
    for (unsigned i = 0; i < SAMPLES; i++)
        odd(depth, i * 2654435761u >> 20 & ((1u << depth) - 1));
    for (unsigned round = 0; round <= ROUNDS; round++)
        for (unsigned i = 0; i < SAMPLES; i++) {
            const struct taken *from = &taken[i];
            uint64_t at = clock_ns(CLOCK_MONOTONIC);
            if (!stack_words_decode(from->words, from->n_words, words, from->bytes / 8))
                abort();
            uint64_t decoded = clock_ns(CLOCK_MONOTONIC);
            struct stack_sample sample = {STACK_REGISTERS_MASK, from->registers,
                                          (const uint8_t *)words, from->bytes};
            struct walk_thread thread = {&mappings, &past, 7};
            sink += walk_stacks_node(&stacks, &thread, &sample, root, &ignored);
            uint64_t walked = clock_ns(CLOCK_MONOTONIC);
            if (round) { /* rules are compiled in the first */
                decode_ns += decoded - at;
                walk_ns += walked - decoded;
                bytes += from->bytes;
            }
        }
    const uint64_t n = (uint64_t)SAMPLES * ROUNDS;
    printf("%8zu %8" PRIu64 " %9.0f %9.0f   %s\n", stacks.stack.n, bytes / n,
           (double)decode_ns / (double)n, (double)walk_ns / (double)n,
           stacks.ends[STACK_OUTERMOST] == n + SAMPLES ? "whole" : "CUT");
    walk_stacks_release(&stacks);
    stack_past_release(&past);
    mappings_release(&mappings);
    profile_release(&profile);
}

int main(void)
{
    begin = (uint64_t)__builtin_frame_address(0) + 512;
    printf("%8s %8s %9s %9s\n", "frames", "bytes", "decode", "unwind");
    const unsigned depths[] = {2, 6, 12, 24, 48};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
        measure(depths[i]);
    return 0;
}
