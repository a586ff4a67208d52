/* Checks a profile against itself and against its binaries.
 *
 * - Every edge is one that the instruction at its start can make, and leads to an instruction.
 * - Every range decodes from start to last, in as many instructions as it says, with no branch,
 * call or system call before the last.
 * - Every loop has an instruction at its head, and its runs are as long as they say.
 * - Sums are possible: no key has more than all; ranges add up to all instructions.
 * - In an exact profile, flow is conserved: as often as control arrives at a place, a run starts
 *   there; as often as a run ends at a branch or a cut, an edge leaves it. Returns are recorded
 * where they arrive, so what ends at one has no edge. Where control leaves what is recorded (a
 * system call that does not come back, an instruction that must run where it stands, a trap, the
 * end of the run) departures are missing: these are counted apart, as open. A recording that was
 * not closed had its counters read while the program ran, each at its own moment: flow is not asked
 * of it, nor of one that kept a part of what ran, or was carried over from another build, or of
 * what other tools counted.
 *
 * - In a plain profile, stacks go through calls and weigh what the totals say: verify_plain.h.
 *
 * Records of modules without a binary are counted as skipped. */
#pragma once

#include "analysis/counts/scene.h"

#include <stdio.h>

#define CHECKS(CHECK)                                                                              \
    CHECK(edge, "an edge that the disassembly cannot make")                                        \
    CHECK(target, "an edge to where no instruction is")                                            \
    CHECK(range, "a range that does not decode as it says")                                        \
    CHECK(sums, "sums that cannot be")                                                             \
    CHECK(arrivals, "arrivals and runs that start there differ")                                   \
    CHECK(departures, "runs that end there and departures differ")                                 \
    CHECK(node, "a stack through where no code is")                                                \
    CHECK(call, "a caller that is at no call")                                                     \
    CHECK(course, "a trace whose superblocks do not follow each other")                            \
    CHECK(file, "bytes of the file have changed")

enum verify_check {
#define CHECK_ENUM(name, text) CHECK_##name,
    CHECKS(CHECK_ENUM)
#undef CHECK_ENUM
        CHECK_N
};
const char *verify_check_name(enum verify_check check);
const char *verify_check_text(enum verify_check check);

struct problem {
    enum verify_check check;
    const char *text;
};

struct verification {
    struct arena arena;
    uint64_t edges, ranges, places; /* checked */
    uint64_t trips;                 /* lengths of runs of loops, checked */
    uint64_t nodes;                 /* of stacks, checked */
    uint64_t skipped;               /* records of modules without a binary */
    uint64_t returns;               /* executed; that they arrive is told without whence */
    uint64_t open;                  /* passages into and out of what is not recorded */
    uint64_t found[CHECK_N];
    VEC(struct problem); /* the first PROBLEMS_SHOWN of each check */
};

enum { PROBLEMS_SHOWN = 20 };

/* The scene has one side. */
void verify_profile(struct verification *verdict, struct scene *scene);
void verification_release(struct verification *verdict);
bool verification_good(const struct verification *verdict);

void verify_text(FILE *to, const struct scene *scene, const struct verification *verdict);
void verify_json(FILE *to, const struct scene *scene, const struct verification *verdict);
