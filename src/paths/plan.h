/* The operations that make an exact run count the paths of one function (wire/plan.h).
 *
 * Operations on arcs go to edges of the code. They go to an instruction where an edge has no
 * branch, where a path always begins, and where one ends. A call may clobber the path register. It
 * is saved before and restored after, unless it is dead or has the same value on all paths. */
#pragma once

#include "base/vec.h"
#include "wire/plan.h"

#include <stdbool.h>
#include <stdint.h>

struct cfg;
struct ground;
struct path_numbering;

/* Which passages are timed: none, a random choice, or all. */
enum path_ticks { TICKS_NONE, TICKS_SOME, TICKS_ALL };

struct path_operations {
    VEC(struct wire_plan);
};

/* How the paths of a function are counted. */
struct path_store {
    bool dense;            /* an array of counters, else a table by function and path */
    uint8_t bits;          /* dense: it has 2^bits counters */
    enum path_ticks ticks; /* paths are timed too; not in nodes */
    bool in_node;          /* counters for each calling context, or paths with their context */
    uint32_t counter; /* dense, not in nodes: the first counter; else the number of the function */
};

/* Bits of the smallest array for so many paths. Above PATHS_FEW an array pays only if there is
 * plenty of room, above PATHS_MANY never: most of it would stay untouched. */
#define PATHS_FEW (UINT64_C(1) << 8)
#define PATHS_MANY (UINT64_C(1) << 13)
uint8_t path_store_bits(uint64_t paths);
/* Counters that the store uses. */
static inline uint32_t path_store_counters(const struct path_store *store)
{
    static const uint32_t each[] = {
        [TICKS_NONE] = 1, [TICKS_SOME] = 1 + MEASURED_WORDS, [TICKS_ALL] = 2};
    return store->dense && !store->in_node ? each[store->ticks] << store->bits : 0;
}

/* Appends in any order of places; operations of one place are in execution order. Counts are not
 * final: each is a PLAN_COUNT with `bits` PATH_COUNT_SUM (register plus value) or PATH_COUNT_KNOWN
 * (value alone). */
enum { PATH_COUNT_SUM = 64, PATH_COUNT_KNOWN };
void path_plan(const struct ground *ground, const struct cfg *cfg,
               const struct path_numbering *numbering, enum path_ticks ticks,
               struct path_operations *ret);

/* Appends the final form of an operation for this store. */
void path_operation_settle(const struct wire_plan *operation, const struct path_store *store,
                           struct path_operations *ret);
