/* Plans of the tool (wire/plan.h) as code: found by edge, emitted on it.
 *
 * A plan has a slice for each module; slices are only appended, so that an operation keeps its number. Branches
 * whose target is computed have no operations: their edges are nobody's. */
#pragma once

#include "walk/context.h"
#include "walk/emit.h"
#include "walk/region.h"
#include "wire/plan.h"

#include <stdbool.h>

enum { PLAN_SLICES = 512, PLAN_OPERATIONS = 1 << 18, PLAN_AT_ONE_PLACE = 4 };

struct plan_slice {
    uint64_t start, end; /* avma that it covers */
    uint64_t bias;       /* avma less address as linked */
    uint32_t first, n;   /* operations */
};

/* Zeroed, sparsely mapped memory. */
struct plan {
    uint32_t n_slices, n;
    struct plan_slice slices[PLAN_SLICES];
    struct wire_plan operations[PLAN_OPERATIONS];
};

/* Adds a module's operations, which must be sorted. Their counters are below `counters`. False: they are not
 * sorted, too many at one place, name an action or a counter that does not exist, or there is no room;
 * nothing is added. */
bool plan_add(struct plan *plan, const struct plan_slice *where, const struct wire_plan *operations,
              uint32_t n, uint64_t counters);

/* Adds the entries of a plans section from byte `at` on; returns where it goes on. What is not valid is left
 * out. */
uint64_t plan_read(struct plan *plan, const void *section, uint64_t bytes, uint64_t at,
                   uint64_t counters);

/* The operations of an edge, or, with from 0, at an instruction: the number of the first, and one; 0: none. */
uint32_t plan_find(const struct plan *plan, uint64_t from, uint64_t to);

/* Code that carries them out before the instruction at pc; no register or flag changes. */
void plan_emit(const struct plan *plan, uint32_t first, const struct regions *regions,
               struct cursor *c, uint64_t pc);
/* Carries them out here. */
void plan_apply(const struct plan *plan, uint32_t first, struct context *context);
