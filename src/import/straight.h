/* Counts of single instructions and jumps -> tables of a profile.
 *
 * An exact recording has straight runs of instructions and edges between them. Instructions of
 * equal count are joined to runs. Where the count changes without a jump, at most as many continue
 * as ran before. */
#pragma once

#include "base/map.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct profile;

struct straight_jump {
    uint64_t from, to;
    uint32_t to_object; /* index: calls may lead to another object */
    uint64_t count;
};

/* One file with code. */
struct straight_object {
    const char *path;
    struct map instructions; /* uint64_t address -> index of counts */
    struct straight_counts {
        VEC(uint64_t);
    } counts;
    struct straight_jumps {
        VEC(struct straight_jump);
    } jumps, calls;
};

struct straight {
    VEC(struct straight_object);
};

void straight_release(struct straight *straight);
/* The object of that path, added if it is new. The path must outlive it. */
uint32_t straight_object(struct straight *straight, const char *path);
void straight_count(struct straight *straight, uint32_t object, uint64_t at, uint64_t count);

/* Adds everything to the profile. Code without a readable file has single instructions only. */
void straight_write(struct straight *straight, struct profile *profile);
