/* Makes a stream of tuples a shorter stream of messages, according to a design. */
#pragma once

#include "compress/associative.h"
#include "compress/design.h"
#include "compress/splitter.h"

/* Large, and touched only where it is used: memory should be mapped and zero. */
struct compressor {
    struct design design;
    struct associative associative;
    uint64_t taken, told; /* tuples; messages */
    union {
        struct splitter splitter;
        struct tagged tagged;
    } front;
};

void compressor_init(struct compressor *compressor, const struct design *design, uint64_t seed);
/* Returns the number of messages, at most n. */
size_t compressor_take(struct compressor *compressor, const struct tuple *tuples, size_t n,
                       struct message *messages);
/* What the counters behind it hold, at most ASSOCIATIVE_MAX. What samplers have skipped stays
 * with them. */
size_t compressor_flush(struct compressor *compressor, struct message *messages);
