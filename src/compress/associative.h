/* A few tuples with their counts, behind a compressor that has lost the rest: messages of the same
 * tuple become one. Nothing is lost: what has not been seen for longest is told of when its place
 * is needed. */
#pragma once

#include "compress/tuple.h"

enum { ASSOCIATIVE_MAX = 64 };

struct associative {
    uint32_t room, used;
    struct message entries[ASSOCIATIVE_MAX]; /* the latest first */
};

void associative_init(struct associative *associative, uint32_t room);
/* Takes n messages, and makes at most as many, which may lie where those were. */
size_t associative_take(struct associative *associative, const struct message *messages, size_t n,
                        struct message *made);
/* Tells of all that it holds, at most ASSOCIATIVE_MAX, and is empty. */
size_t associative_flush(struct associative *associative, struct message *made);
