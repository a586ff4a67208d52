/* Looks up the operations of plans (wire/plan.h) by place.
 *
 * A plan has a slice for each mapping. Slices are only appended, and the library does not change,
 * so operations once found stay valid. */
#pragma once

#include "wire/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLAN_SLICES = 512 };

struct plan_slice {
    uint64_t start, end; /* avma that it covers */
    uint64_t bias;       /* avma minus address as linked */
    const struct wire_plan *operations;
    const struct wire_plan_function *functions;
    uint32_t n, n_functions;
};

/* Zeroed, sparsely mapped memory; the library is set first. */
struct plan {
    const uint8_t *library;    /* PLAN_LIBRARY_BYTES */
    uint64_t counters;         /* valid counters are below this */
    bool covered;              /* PLAN_COVERED code has no other counters */
    uint32_t events;           /* enum event_clock_kind: what PLAN_TICKS counts */
    struct known_paths *known; /* NULL: known paths get no counters */
    /* Waits until the tool has made the plan of the function at that offset of the library. NULL:
     * all are made. */
    void (*ask)(const struct wire_plan_function *function, uint64_t at);
    uint32_t n_slices;
    struct plan_slice slices[PLAN_SLICES];
};

/* Adds the plan of a module. False, nothing added: it reaches beyond the library, its operations
 * are not sorted, too many at one place, or have an invalid action or counter, its functions
 * overlap, or there is no room. */
bool plan_add(struct plan *plan, const struct wire_plan_module *module);

/* Adds the entries of a plans section from byte `at` on; returns where the next begins. Invalid
 * entries are counted in *left_out. */
uint64_t plan_read(struct plan *plan, const void *section, uint64_t bytes, uint64_t at,
                   uint64_t *left_out);

/* The operations of a place, as a number that exits can keep; 0: none. */
typedef uint32_t plan_place;

plan_place plan_find(const struct plan *plan, uint64_t from, uint64_t to);
/* For an edge that arrives from elsewhere: its own, or those of the arrival. */
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

/* The function that contains pc; NULL: none that the tool described. */
const struct wire_plan_function *plan_function(const struct plan *plan, uint64_t pc,
                                               uint64_t *ret_start);
/* The next part of the function that starts there, from *at on, which starts with 0; NULL: no
 * more. */
const struct wire_plan_function *plan_part(const struct plan *plan, uint64_t start, uint32_t *at,
                                           uint64_t *ret_start);
/* A number of the module that contains pc, the same wherever it is mapped; 0: none. */
uint32_t plan_slice_number(const struct plan *plan, uint64_t pc);
bool plan_covers(const struct plan *plan, uint64_t pc);
