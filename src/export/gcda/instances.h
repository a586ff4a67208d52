/* Copies of functions that were inlined several times into one function, in the order of their
 * calls. */
#pragma once

#include "base/map.h"
#include "base/vec.h"

#include <stdint.h>

enum { CALLS_MAX = 6 }; /* that tell copies apart, the outermost ones */

struct instance_key {
    uint64_t function,
        origin; /* into which, and which: the entry of debug information that has its name */
    uint64_t calls[CALLS_MAX]; /* line and column of each, outermost first; 0 fills up */
};

struct instance {
    uint32_t callee;
    uint32_t number; /* from 1 on, in the order of calls */
};

struct callee {
    uint32_t line, entry; /* the first line of it that was seen, and its group */
    uint32_t n;           /* copies */
};

struct instances {
    struct map keys; /* struct instance_key -> index */
    VEC(struct instance);
    struct map callee_keys; /* function, origin */
    struct callees {
        VEC(struct callee);
    } callees;
};

void instances_open(struct instances *instances);
void instances_close(struct instances *instances);
/* The copy's index; a line of it was seen. */
uint32_t instances_add(struct instances *instances, const struct instance_key *key, uint32_t line,
                       uint32_t group);
/* Gives all their numbers. */
void instances_count(struct instances *instances);
