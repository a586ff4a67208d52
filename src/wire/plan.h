/* Plans: what exact runs do besides counting, at places that the tool has chosen.
 *
 * An operation stands at an edge, and is carried out whenever that is taken; or at an instruction, and is
 * carried out before each time it runs. Each thread has one register for them, `path`. Several at one place are carried
 * out in order. That is enough to number paths: constants are added along edges, and at the end of a path the sum
 * is the number of a counter. */
#pragma once

#include <stdint.h>

enum plan_action {
    PLAN_SET = 1, /* path = value */
    PLAN_ADD,     /* path += value */
    /* counters[counter + (path + value modulo 2^8 or 2^16)] += 1: whatever the path is, nothing else is
     * touched, and a path that makes no sense is counted as one */
    PLAN_COUNT_8,
    PLAN_COUNT_16,
    PLAN_KEEP, /* before a call: the path is put by, under the stack pointer, ... */
    PLAN_BACK, /* and behind it: taken back. Whoever does not return needs no tidying up */
    PLAN_ACTIONS,
};

/* ---- plans section of a channel, append-only, written by the tool: an entry for each mapping that has a plan.
 *
 * The process publishes its mappings, then waits until the tool has answered all of them (channel.plans_for), but no
 * longer than PLAN_WAIT_MS: then it goes on without, which is counted. So code is not translated before
 * its plan is there: not at the start, and not when a module is loaded. */
enum { PLAN_WAIT_MS = 100 };

struct wire_plan_module {
    uint32_t bytes, n;   /* of this entry; operations */
    uint64_t start, end; /* avma of the mapping */
    uint64_t bias;       /* avma less address as linked */
    /* struct wire_plan operations[n] */
};

/* Sorted by from, then to; of one place in the order in which they are carried out. */
struct wire_plan {
    uint64_t from;    /* the branch, as linked; 0: at the instruction `to`, however it is reached */
    uint64_t to;      /* as linked */
    uint32_t action;  /* enum plan_action */
    uint32_t counter; /* PLAN_COUNT: the first of 2^8 or 2^16 */
    int32_t value;
    uint32_t reserved;
};
