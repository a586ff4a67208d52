/* What is done on each arc so that at the end of every path its number is known and counted.
 *
 * Increments stand on chords. A path's register is set as late and its number counted as early as
 * they are known: where a node has one way in, or one way out, what would be done before or behind
 * it is done further on, or back. Nothing is counted ahead of a node that may be left for good in
 * its middle: so what is counted was walked to its end. If time is taken along paths, each is begun
 * and counted at its very ends. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct path_numbering;
struct path_graph;
struct spanning;

/* In this order: the register is set to the value, or the value is added to it, or neither; then it
 * is counted. */
struct placed {
    uint64_t value;
    bool set, add, count;
};

/* Of each arc of the numbering; mem_free it. */
struct placed *place_make(const struct path_numbering *numbering, const struct path_graph *graph,
                          const struct spanning *tree, bool timed);
