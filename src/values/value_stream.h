/* Values between windows and lists, made a shorter stream: what a compressor
 * (compress/compressor.h) passes on stands for many.
 *
 * It stands in the tool, behind the ring, for recordings that need whole windows there: it spares
 * the work on lists and not the way. Others are compressed in the process
 * (agent/sampling/stream.h).
 *
 * With `converge` places whose most frequent value keeps its share are left out before the
 * compressor, but for one window in some: they leave its parts to others. */
#pragma once

#include "compress/compressor.h"

enum { VALUE_STREAM_TUPLES = 256 };

struct value_stream {
    struct compressor compressor;
    uint64_t stands_for; /* values that messages told of */
    uint64_t settled;    /* values of places that had converged: left out */
    size_t n;
    struct tuple tuples[VALUE_STREAM_TUPLES];
    struct message messages[VALUE_STREAM_TUPLES + ASSOCIATIVE_MAX];
};

struct value_stream *value_stream_open(const struct design *design, uint64_t seed);
/* NULL: there was none. */
void value_stream_release(struct value_stream *stream);

/* One value more. Returns the number of messages, which are good until the next. */
size_t value_stream_push(struct value_stream *stream, uint32_t place, uint64_t value);
/* What waits here, and in counters behind the compressor; its samplers keep what they have passed
 * over. */
size_t value_stream_flush(struct value_stream *stream);

static inline uint32_t value_stream_place(const struct message *message)
{
    return (uint32_t)tuple_pc(&message->tuple);
}
