/* When time was spent: profile->times has the weights of profile->stacks by slices of the run.
 *
 * The tree is that of the stacks, and below each node that was interrupted stand its slices: the
 * module is the node's (below a thread without frames any), the address a slice. Slices have
 * weights, in groups as in the stacks, and no other node has. A sample belongs to the slice in
 * which it was taken.
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

enum { SLICE_BITS = 26, TIME_SLICES_MAX = 128, SLICE_BITS_MAX = 58 };

/* The slice of a moment: its width in the low bits, its number, and a bit that no address of code
 * has alone. */
#define SLICE_MARK ((uint64_t)1 << 48)
static inline uint64_t slice_of(uint64_t unix_ns, unsigned bits)
{
    return SLICE_MARK | unix_ns >> bits << 6 | bits;
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

/* Adds the weight of a sample that was taken at that moment, at that node of profile->stacks. */
void times_add(struct profile *profile, uint32_t node, uint32_t group, uint64_t weight,
               uint64_t unix_ns);

/* Whether slices are too many or of different widths; then *ret_coarse, which the caller releases,
 * is what they become. */
bool times_coarsen(const struct stacks *times, struct stacks *ret_coarse);

/* A part of the run, in Unix time; from the first to before the last. 0, 0: all of it. */
struct time_part {
    uint64_t begin_ns, end_ns;
};

/* From the first to the last slice; empty: there are none. */
struct time_part times_span(const struct stacks *times);

/* Whether the profile has any; else it says why not. */
bool times_known(const struct profile *profile, struct err *err);
/* What moments of the run are counted from, in Unix time. */
uint64_t times_start(const struct profile *profile);

/* The profile becomes a plain one of what was sampled in that part of the run, widened to whole
 * slices (profile->part). Fails, and changes nothing, if the profile has no times or nothing was
 * sampled then. */
bool profile_weigh_part(struct profile *profile, struct time_part wanted, struct err *err);
