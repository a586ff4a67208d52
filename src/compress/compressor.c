#include "compress/compressor.h"

void compressor_init(struct compressor *compressor, const struct design *design, uint64_t seed)
{
    compressor->design = *design;
    compressor->taken = compressor->told = 0;
    associative_init(&compressor->associative, design->associative);
    if (design->tagged)
        tagged_init(&compressor->front.tagged, design->bits, design->ways, design->tag_bits,
                    design->threshold, &design->choices, design->paper, seed);
    else
        splitter_init(&compressor->front.splitter, &design->sampling, design->bits, design->paper,
                      design->phase, seed);
}

size_t compressor_take(struct compressor *compressor, const struct tuple *tuples, size_t n,
                       struct message *messages)
{
    size_t made = compressor->design.tagged
                      ? tagged_take(&compressor->front.tagged, tuples, n, messages)
                      : splitter_take(&compressor->front.splitter, tuples, n, messages);
    if (compressor->associative.room)
        made = associative_take(&compressor->associative, messages, made, messages);
    compressor->taken += n;
    compressor->told += made;
    return made;
}

size_t compressor_flush(struct compressor *compressor, struct message *messages)
{
    size_t made = associative_flush(&compressor->associative, messages);
    compressor->told += made;
    return made;
}
