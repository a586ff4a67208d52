/* Loops without a graph: stretches of code that a backward jump closes.
 *
 * A circuit goes from the target of backward jumps of one function (its head) to the last of those
 * jumps. Circuits of a function nest: one that begins inside another and ends after it makes the
 * other longer; so does a jump back from cold code that the compiler put at the end. Around the
 * outermost is a root, the function. Functions without a backward jump have no circuits.
 *
 * Only direct jumps make circuits. Code with many indirect jumps is an interpreter, whose jumps
 * back lead nowhere in particular: it is no circuit. Neither is what would be nested deeper than
 * loops are. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "process/units.h"
#include "program/unwind/bounds.h"

#define CIRCUIT_NONE UINT32_MAX

struct circuit {
    uint32_t module;
    uint32_t parent;     /* around it; CIRCUIT_NONE: it is a root */
    uint32_t root;       /* of its function */
    uint32_t depth;      /* 0: a root */
    uint64_t start, end; /* svma: the head and the last jump; of a root: the function's last byte */
    uint64_t reach;      /* the end, or the end of what begins inside and ends after it */
};

struct circuits {
    struct units *units;
    struct map keys; /* module, start, root or not: ids are stable */
    VEC(struct circuit);
    struct circuit_order {
        VEC(uint32_t);
    } order; /* ids by module, start, roots first */
    struct circuit_bounds {
        VEC(struct module_bounds {
            bool read;
            struct bounds bounds;
        });
    } bounds; /* by module */
    struct circuit_jumps {
        VEC(struct place);
    } jumps;              /* indirect jumps, sorted when circuits are nested */
    size_t segments_read; /* of the units */
    bool stale;           /* order, parents and reaches lack new circuits */
    uint32_t version;     /* of the answers of circuits_at, from 1 */
};

void circuits_init(struct circuits *circuits, struct units *units);
void circuits_release(struct circuits *circuits);

/* Reads new units. Answers may change: see `version`. */
void circuits_follow(struct circuits *circuits);
/* The innermost circuit or root around the place, or CIRCUIT_NONE. */
uint32_t circuits_at(const struct circuits *circuits, struct place place);

/* Whether `outer` is `inner`, or around it. Both have the same root. */
static inline bool circuit_holds(const struct circuit *outer, const struct circuit *inner)
{
    return outer->start <= inner->start && inner->reach <= outer->reach &&
           (outer->parent == CIRCUIT_NONE || inner->parent != CIRCUIT_NONE);
}
