/* A few tuples with their counts, behind a lossy compressor: messages of the same tuple become one.
 * Nothing is lost: the least recently seen one is sent when its place is needed. */
#pragma once

#include "compress/tuple.h"

enum { ASSOCIATIVE_MAX = 64 };

struct associative {
    uint32_t room, used;
    struct message entries[ASSOCIATIVE_MAX]; /* the most recent first */
};

void associative_init(struct associative *associative, uint32_t room);
/* Takes n messages, and makes at most as many, which may overwrite the input. */
size_t associative_take(struct associative *associative, const struct message *messages, size_t n,
                        struct message *made);
/* Sends all that it holds, at most ASSOCIATIVE_MAX, and is empty. */
size_t associative_flush(struct associative *associative, struct message *made);
