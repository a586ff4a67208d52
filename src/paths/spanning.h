/* Which arcs of a numbering need not be counted along: those of a spanning tree, the heaviest there
 * is. All others, chords, get increments such that every path from the entry to the exit still
 * comes to its number.
 *
 * Each node has a potential: what a path's sum lacks there to what it would be if every arc added
 * its value. Along the tree it changes by the arc's value, so that nothing is to be added; at the
 * exit and at the entry it is 0. Numbers wrap around at 2^64: sums on the way may be anything, at
 * the end of a path they are right. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct path_numbering;

struct spanning {
    uint64_t *increment; /* of each arc; 0 in the tree */
    bool *in;            /* of each arc */
};

void spanning_make(struct spanning *tree, const struct path_numbering *numbering);
void spanning_release(struct spanning *tree);
