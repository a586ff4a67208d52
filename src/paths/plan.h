/* The operations that make an exact run count the paths of one function (wire/plan.h).
 *
 * What is placed on arcs goes to edges of the code; to an instruction where an edge has no branch,
 * where a path begins whoever comes, and where one ends. A call may do anything to the register: it
 * is put by before and taken back behind, unless nobody asks for it any more or what is in it there
 * is the same on all ways. */
#pragma once

#include "base/vec.h"
#include "wire/plan.h"

#include <stdbool.h>
#include <stdint.h>

struct cfg;
struct ground;
struct path_numbering;

/* Whose time is taken: nobody's, that of some passages, chosen at random, or of all. */
enum path_ticks { TICKS_NONE, TICKS_SOME, TICKS_ALL };

struct path_operations {
    VEC(struct wire_plan);
};

/* How the paths of a function are counted. */
struct path_store {
    bool dense;            /* an array of counters, else a table by function and path */
    uint8_t bits;          /* dense: it has 2^bits */
    enum path_ticks ticks; /* the time along paths, too; not in nodes */
    bool in_node;          /* counters of each calling context, or paths with their context */
    uint32_t counter;      /* dense, and not in nodes: the first; else the function's number */
};

/* The smallest array for so many paths; more than PATHS_FEW are not worth one unless there is
 * plenty of room, more than PATHS_MANY never: most would not be touched. */
#define PATHS_FEW (UINT64_C(1) << 8)
#define PATHS_MANY (UINT64_C(1) << 13)
uint8_t path_store_bits(uint64_t paths);
/* Counters that it takes. */
static inline uint32_t path_store_counters(const struct path_store *store)
{
    static const uint32_t each[] = {
        [TICKS_NONE] = 1, [TICKS_SOME] = 1 + MEASURED_WORDS, [TICKS_ALL] = 2};
    return store->dense && !store->in_node ? each[store->ticks] << store->bits : 0;
}

/* Appends, in no order between places; of one place in the order in which they are carried out.
 * Counts are not settled: each is a PLAN_COUNT of `bits` PATH_COUNT_SUM, of the register plus the
 * value, or PATH_COUNT_KNOWN, of the value alone. */
enum { PATH_COUNT_SUM = 64, PATH_COUNT_KNOWN };
void path_plan(const struct ground *ground, const struct cfg *cfg,
               const struct path_numbering *numbering, enum path_ticks ticks,
               struct path_operations *ret);

/* Appends the operation as it is with that store. */
void path_operation_settle(const struct wire_plan *operation, const struct path_store *store,
                           struct path_operations *ret);
