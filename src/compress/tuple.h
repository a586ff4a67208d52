/* Tuples: what a stream is made of. Compressors hash them, compare them and pass them on; what they
 * mean is for those at the two ends.
 *
 * Streams of several kinds run through one compressor at once: the kind is in the top byte of the
 * place, which no address of a program uses. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum tuple_kind {
    TUPLE_VALUE,      /* a place and what it computed or loaded */
    TUPLE_EDGE,       /* a branch and where it went */
    TUPLE_CALL,       /* a call and whom it called */
    TUPLE_MISPREDICT, /* a branch that was mispredicted, and where it went */
    TUPLE_TYPE,       /* a call and the slot of its object's table of methods */
    TUPLE_EXIT,       /* where a superblock was left, and whither: edges and calls */
    TUPLE_LATENCY,    /* a load and the time that it took */
    TUPLE_KINDS,
};

struct tuple {
    uint64_t place, value;
};

/* So many occurrences of one tuple, or what stands for so many occurrences. */
struct message {
    struct tuple tuple;
    uint64_t count;
};

enum { TUPLE_KIND_SHIFT = 56 };
/* Places that are none, behind the last tuples of a file: how many instructions they come from, and
 * before it, if a core was modelled, how many cycles. */
#define TUPLE_END UINT64_MAX
#define TUPLE_CYCLES (UINT64_MAX - 1)

static inline uint64_t tuple_place(enum tuple_kind kind, uint64_t pc)
{
    return (uint64_t)kind << TUPLE_KIND_SHIFT | (pc & ~(UINT64_C(0xff) << TUPLE_KIND_SHIFT));
}

static inline enum tuple_kind tuple_kind(const struct tuple *tuple)
{
    return (enum tuple_kind)(tuple->place >> TUPLE_KIND_SHIFT);
}

static inline uint64_t tuple_pc(const struct tuple *tuple)
{
    return tuple->place & ~(UINT64_C(0xff) << TUPLE_KIND_SHIFT);
}
