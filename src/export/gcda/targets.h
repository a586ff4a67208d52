/* Targets of the indirect calls of a function in gcc's notes: gcc can then call the most frequent
 * target directly.
 *
 * gcc has one counter per indirect call of a function, in the order of its graph. The notes do not
 * say how many there are. Calls that the program has are sorted by the first block of their line,
 * and zeros follow for calls that it lost.
 *
 * Once a function has one value counter, gcc 12 expects all kinds of them. Without counters of the
 * most frequent values it crashes; zeros are accepted. Counters of unsigned remainders must add up
 * to the executions of their block, and their number is unknown. So functions with unsigned
 * divisions have no targets. */
#pragma once

#include "export/job/code.h"
#include "gcov/counts.h"

struct chains;
struct objects;

/* One indirect call instruction. */
struct indirect_call {
    uint32_t function; /* of all objects' */
    uint32_t block;    /* of the graph: the first that has its line */
    uint32_t instance, column;
    uint64_t from;
};
struct indirect_calls {
    VEC(struct indirect_call);
    struct dividing_functions {
        VEC(uint32_t);
    } dividing; /* functions with an unsigned division, in any order */
};

/* One target of one place. */
struct indirect_target {
    struct indirect_call call; /* from: 0 */
    uint32_t
        ident; /* of the function that was called, as gcc numbers it; 0: of none that has notes */
    uint64_t count;
};
struct indirect_targets {
    VEC(struct indirect_target); /* by function, then place, the most frequent first */
};

void targets_find(struct indirect_targets *targets, struct indirect_calls *calls,
                  const struct code_counts *code, struct chains *chains,
                  const struct objects *objects);
/* The counters of one function of the graph; nothing if it has no indirect calls. */
void targets_count(const struct indirect_targets *targets, uint32_t function, size_t n_blocks,
                   struct counts_function *counted);
/* Of one instruction: it divides unsigned numbers. */
bool divides_unsigned(const uint8_t *bytes, size_t n);
