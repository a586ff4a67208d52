/* A compressor (compress/compressor.h) between windows and lists of values: a message stands for
 * many values.
 *
 * It is in the tool, for recordings that need whole windows there: it saves work on the lists, not
 * in the ring. Other recordings compress in the process (agent/sampling/stream.h).
 *
 * With `converge`, places whose most frequent value keeps its share are left out before the
 * compressor, except in one window in some: that leaves the compressor to other places. */
#pragma once

#include "compress/compressor.h"

enum { VALUE_STREAM_TUPLES = 256 };

struct value_stream {
    struct compressor compressor;
    uint64_t stands_for; /* values that messages stand for */
    uint64_t settled;    /* values left out because their place had converged */
    size_t n;
    struct tuple tuples[VALUE_STREAM_TUPLES];
    struct message messages[VALUE_STREAM_TUPLES + ASSOCIATIVE_MAX];
};

struct value_stream *value_stream_open(const struct design *design, uint64_t seed);
/* `stream` may be NULL. */
void value_stream_release(struct value_stream *stream);

/* Adds a value. Returns the number of messages, valid until the next call. */
size_t value_stream_push(struct value_stream *stream, uint32_t place, uint64_t value);
/* Messages of all that waits here and in counters behind the compressor. Samplers keep their state.
 */
size_t value_stream_flush(struct value_stream *stream);

static inline uint32_t value_stream_place(const struct message *message)
{
    return (uint32_t)tuple_pc(&message->tuple);
}
