/* The operations on each arc, so that at the end of every path its number is known and counted.
 *
 * Increments stand on chords. The path register is set as late, and the number counted as early, as
 * possible: past nodes with one way in or one way out. Nothing is counted before a node that
 * control may leave in its middle for good, so a counted path has reached its end. If paths are
 * timed, each is begun and counted at its very ends. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct path_numbering;
struct path_graph;
struct spanning;

/* In this order: set the register to the value, or add the value, or neither; then count. */
struct placed {
    uint64_t value;
    bool set, add, count;
};

/* One for each arc of the numbering; free with mem_free. */
struct placed *place_make(const struct path_numbering *numbering, const struct path_graph *graph,
                          const struct spanning *tree, bool timed);
