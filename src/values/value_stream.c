#include "values/value_stream.h"

#include "base/memory.h"

struct value_stream *value_stream_open(const struct design *design, uint64_t seed)
{
    struct value_stream *stream = mem_alloc(sizeof *stream);
    compressor_init(&stream->compressor, design, seed);
    return stream;
}

void value_stream_release(struct value_stream *stream)
{
    mem_free(stream);
}

static size_t take(struct value_stream *stream)
{
    size_t n = stream->n;
    stream->n = 0;
    return compressor_take(&stream->compressor, stream->tuples, n, stream->messages);
}

size_t value_stream_push(struct value_stream *stream, uint32_t place, uint64_t value)
{
    stream->tuples[stream->n++] = (struct tuple){tuple_place(TUPLE_VALUE, place), value};
    return stream->n == VALUE_STREAM_TUPLES ? take(stream) : 0;
}

size_t value_stream_flush(struct value_stream *stream)
{
    size_t made = take(stream);
    return made + compressor_flush(&stream->compressor, stream->messages + made);
}
