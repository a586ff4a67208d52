/* The directions of the last conditional branches before the newest branch of each sample, from its
 * records: those of records were taken, those in the straight runs between them were not. What is
 * before a gap (code without a file, the kernel, records that contradict the code) is not known.
 *
 * A random choice of samples is kept, each for as many as it then stands for: in profile->turns. */
#pragma once

#include "base/vec.h"
#include "compress/random.h"
#include "process/mappings.h"

#include <stdbool.h>
#include <stdint.h>

struct profile;

enum { BRANCH_TURNS_KEPT = 1 << 16 };

struct branch_turned {
    struct place at;
    uint64_t directions, times;
    uint32_t bits;
};

struct branch_turns {
    struct branch_turned now; /* of this sample; at.module MODULE_NONE: no branch yet */
    bool gap;
    uint64_t seen; /* samples with directions */
    struct random random;
    struct {
        VEC(struct branch_turned);
    } kept;
};

void branch_turns_release(struct branch_turns *turns);
void branch_turns_begin(struct branch_turns *turns);
/* From newest to oldest: a branch that was taken, and n conditional ones that were not. */
void branch_turns_branch(struct branch_turns *turns, struct place at, bool conditional);
void branch_turns_passed(struct branch_turns *turns, uint32_t n);
void branch_turns_gap(struct branch_turns *turns);
/* The sample counts so often. */
void branch_turns_end(struct branch_turns *turns, uint64_t times);
void branch_turns_tell(const struct branch_turns *turns, struct profile *profile);
