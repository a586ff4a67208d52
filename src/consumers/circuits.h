/* Stretches of code that a backward jump closes: what a loop looks like to someone who sees a
 * program run and has no graph of it.
 *
 * A circuit goes from where backward jumps of one function lead (its head) to the last of them.
 * Circuits of a function nest: one that begins inside another and ends behind it makes the other
 * one longer, as does a jump back from a rarely used part that a compiler has put at the end.
 * Around the outermost there is a root, which is the function. Functions without a backward jump
 * have nothing.
 *
 * Only direct jumps make circuits: where indirect ones lead is the program's affair. What has many
 * indirect jumps in it is an interpreter's code, whose jumps back go nowhere in particular: no
 * circuit, and neither is what would be nested deeper than loops are. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "process/units.h"
#include "program/unwind/bounds.h"

#define CIRCUIT_NONE UINT32_MAX

struct circuit {
    uint32_t module;
    uint32_t parent;     /* around it; of a root CIRCUIT_NONE */
    uint32_t root;       /* of its function */
    uint32_t depth;      /* of a root 0 */
    uint64_t start, end; /* svma: the head and the last jump, of a root the function's last byte */
    uint64_t reach;      /* the end, or that of what began inside and ends behind it */
};

struct circuits {
    struct units *units;
    struct map keys; /* module, start, whether it is a root: ids stay what they are */
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
    } jumps;              /* indirect ones, sorted when circuits are nested */
    size_t segments_read; /* of the units */
    bool stale;           /* order, parents and reaches do not have all circuits yet */
    uint32_t version;     /* of the answers of circuits_at, from 1 on */
};

void circuits_init(struct circuits *circuits, struct units *units);
void circuits_release(struct circuits *circuits);

/* Takes in what the units have by now. Answers may be others then: see version. */
void circuits_follow(struct circuits *circuits);
/* The innermost circuit or root that has the place, or CIRCUIT_NONE. */
uint32_t circuits_at(const struct circuits *circuits, struct place place);

/* Whether the first is the second, or around it. Both have one root. */
static inline bool circuit_holds(const struct circuit *outer, const struct circuit *inner)
{
    return outer->start <= inner->start && inner->reach <= outer->reach &&
           (outer->parent == CIRCUIT_NONE || inner->parent != CIRCUIT_NONE);
}
