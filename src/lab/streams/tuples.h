/* A file of tuples (record --dump-stream), and how often each of them occurs: what compressors are
 * held to.
 *
 * Tuples and places are numbered in the order of their first occurrence. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "compress/tuple.h"

#include <stdbool.h>

struct err;

struct tuples {
    VEC(struct tuple); /* of the kinds that were asked for, in order */
    struct map keys;   /* tuples */
    struct map places;
    struct {
        VEC(uint32_t);
    } number, place; /* of each tuple in the stream its number; of each number its place */
    /* That the tuples come from, and cycles of a modelled core; 0: the file does not say. */
    double instructions, cycles;
};

/* `kinds`: bits of enum tuple_kind; at most `most` tuples, 0: all. */
bool tuples_read(struct tuples *tuples, const char *path, uint32_t kinds, size_t most,
                 struct err *err);
void tuples_release(struct tuples *tuples);
