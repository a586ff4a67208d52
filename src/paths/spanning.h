/* The arcs without increments: a maximum spanning tree. The other arcs, chords, get increments such
 * that every path from entry to exit still adds up to its number.
 *
 * Each node has a potential: what the sum lacks there, compared with adding the value of every arc.
 * Along tree arcs it changes by the arc's value, so nothing need be added. At the entry and the
 * exit it is 0. Sums wrap at 2^64: they may be anything on the way and are right at the end of a
 * path. */
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
