/* When time was spent: profile->times has the weights of profile->stacks by slices of the run.
 *
 * The tree is that of the stacks, and below each node that was interrupted stand its slices: the
 * module is the node's (below a thread without frames any), the address a slice. Slices have
 * weights, in groups as in the stacks, and no other node has. A sample belongs to the slice in
 * which it was taken. A slice also has the CPU that its samples were taken on, where that is known.
 *
 * A slice is 2^bits ns of Unix time, and begins at a multiple of that. What is recorded has slices
 * of SLICE_BITS. A whole file has at most TIME_SLICES_MAX of them: all are made coarser until they
 * are few enough. So the size does not grow with the length of the run, and the result does not
 * depend on the order in which profiles are merged. */
#pragma once

#include "profile/stacks.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct profile;

enum { WAIT_SLICE_BITS = 28 };
enum { SLICE_BITS = 26, TIME_SLICES_MAX = 128, SLICE_BITS_MAX = 58 };

/* The slice of a moment: its width in the low bits, its number, a bit that no address of code has
 * alone, and above that the CPU plus one. */
enum { SLICE_CPU_SHIFT = 49, SLICE_CPU_NONE = (1 << (64 - SLICE_CPU_SHIFT)) - 1 };
#define SLICE_MARK ((uint64_t)1 << 48)
static inline uint64_t slice_of(uint64_t unix_ns, unsigned bits, uint32_t cpu)
{
    uint64_t above = cpu < SLICE_CPU_NONE ? (uint64_t)(cpu + 1) << SLICE_CPU_SHIFT : 0;
    return above | SLICE_MARK | (unix_ns >> bits << 6 & (SLICE_MARK - 1)) | bits;
}
/* SLICE_CPU_NONE: not known. */
static inline uint32_t slice_cpu(uint64_t slice)
{
    uint32_t above = (uint32_t)(slice >> SLICE_CPU_SHIFT);
    return above ? above - 1 : SLICE_CPU_NONE;
}
static inline unsigned slice_bits(uint64_t slice)
{
    unsigned bits = (unsigned)(slice & 63);
    return bits < SLICE_BITS_MAX ? bits : SLICE_BITS_MAX;
}
static inline uint64_t slice_begin_ns(uint64_t slice)
{
    return (slice & (SLICE_MARK - 1)) >> 6 << slice_bits(slice);
}
static inline uint64_t slice_end_ns(uint64_t slice)
{
    return slice_begin_ns(slice) + ((uint64_t)1 << slice_bits(slice));
}

/* Adds the weight of a sample that was taken at that moment, at that node of profile->stacks, on
 * that CPU (SLICE_CPU_NONE: not known). */
void times_add(struct profile *profile, uint32_t node, uint32_t group, uint64_t weight,
               uint64_t unix_ns, uint32_t cpu);

/* Adds a wait, or several, of that node of profile->waits to profile->wait_times: WAIT_KIND_GROUPS
 * weights from group `kind` on. It ended at that moment and lasted so long: its time is spread over
 * the slices in which it lasted, the rest belongs to that of its end. Slices have WAIT_SLICE_BITS.
 */
void wait_times_add(struct profile *profile, uint32_t node, uint32_t kind, const uint64_t *weights,
                    uint64_t end_unix_ns, uint64_t lasted_ns);

/* Whether slices are too many or of different widths; then *ret_coarse, which the caller releases,
 * is what they become. */
bool times_coarsen(const struct stacks *times, struct stacks *ret_coarse);

/* A part of the run, in Unix time; from the first to before the last. 0, 0: all of it. */
struct time_part {
    uint64_t begin_ns, end_ns;
};

static inline uint64_t time_part_middle(const struct time_part *part)
{
    return part->begin_ns + (part->end_ns - part->begin_ns) / 2;
}

/* From the first to the last slice; empty: there are none. */
struct time_part times_span(const struct stacks *times);

/* Whether the profile has any; else it says why not. */
bool times_known(const struct profile *profile, struct err *err);
/* What moments of the run are counted from, in Unix time. */
uint64_t times_start(const struct profile *profile);

/* Marks the nodes that are slices: those that have weights. The caller frees it. */
bool *times_slices(const struct stacks *times);

/* Divides the stacks by CPUs: each thread has a root for each CPU that it was sampled on, whose
 * module is the CPU (SLICE_CPU_NONE: not known). Of a profile of a part, only that part. Fails, and
 * changes nothing, if no CPU is known. */
bool profile_split_cpus(struct profile *profile, struct err *err);
