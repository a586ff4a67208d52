/* Plans of the tool (wire/plan.h): found by place.
 *
 * A plan has a slice for each mapping; slices are only appended, and the library does not change,
 * so that operations once found stay what they are. */
#pragma once

#include "wire/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLAN_SLICES = 512 };

struct plan_slice {
    uint64_t start, end; /* avma that it covers */
    uint64_t bias;       /* avma less address as linked */
    const struct wire_plan *operations;
    const struct wire_plan_function *functions;
    uint32_t n, n_functions;
};

/* Zeroed, sparsely mapped memory; the library is set first. */
struct plan {
    const uint8_t *library;    /* PLAN_LIBRARY_BYTES */
    uint64_t counters;         /* numbers below this may be counted under */
    bool covered;              /* what is PLAN_COVERED is not counted */
    struct known_paths *known; /* NULL: none is told */
    /* Waits until the tool has made the plan of a function, at that place of the library. NULL: all
     * are made. */
    void (*ask)(const struct wire_plan_function *function, uint64_t at);
    uint32_t n_slices;
    struct plan_slice slices[PLAN_SLICES];
};

/* Adds what an entry tells of. False: it reaches beyond the library, its operations are not sorted,
 * too many at one place, name an action or a counter that does not exist, its functions overlap, or
 * there is no room; nothing is added. */
bool plan_add(struct plan *plan, const struct wire_plan_module *module);

/* Adds the entries of a plans section from byte `at` on; returns where it goes on. What is not
 * valid is left out, and counted in *left_out. */
uint64_t plan_read(struct plan *plan, const void *section, uint64_t bytes, uint64_t at,
                   uint64_t *left_out);

/* The operations of a place, as a number that exits can keep; 0: there are none. */
typedef uint32_t plan_place;

plan_place plan_find(const struct plan *plan, uint64_t from, uint64_t to);
/* Those of an edge that arrives from elsewhere: its own, or those of the arrival. */
plan_place plan_arrival(const struct plan *plan, uint64_t from, uint64_t to);

static inline uint32_t plan_operations(plan_place place)
{
    return place ? 1 + place % PLAN_AT_ONE_PLACE : 0;
}

static inline const struct wire_plan *plan_operation(const struct plan *plan, plan_place place)
{
    return (const struct wire_plan *)(const void *)(plan->library +
                                                    8 * (size_t)(place / PLAN_AT_ONE_PLACE - 1));
}

/* The function that an address lies in; NULL: none that the tool has told of. */
const struct wire_plan_function *plan_function(const struct plan *plan, uint64_t pc,
                                               uint64_t *ret_start);
/* What else is part of the function that begins there: the next from *at on, which begins with 0;
 * NULL: no more. */
const struct wire_plan_function *plan_part(const struct plan *plan, uint64_t start, uint32_t *at,
                                           uint64_t *ret_start);
/* By what the tool told of it, which module an address lies in, be it here or there; 0: none. */
uint32_t plan_slice_number(const struct plan *plan, uint64_t pc);
bool plan_covers(const struct plan *plan, uint64_t pc);
