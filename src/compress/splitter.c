#include "compress/splitter.h"

enum { BYTE_PERIOD = 256 };

void splitter_init(struct splitter *splitter, const struct sampling *sampling, uint32_t bits,
                   bool paper, bool phase, uint64_t seed)
{
    splitter->sampling = *sampling;
    splitter->random.state = seed;
    hash_init(&splitter->hash, bits, paper, seed);
    splitter->bytes = bits && sampling->kind == SAMPLER_PERIODIC && !sampling->counted &&
                      sampling->rate == BYTE_PERIOD;
    for (uint32_t i = 0; i < UINT32_C(1) << bits; i++)
        if (splitter->bytes)
            splitter->parts.passed[i] = phase ? (uint8_t)random_next(&splitter->random) : 0;
        else
            sampler_init(&splitter->parts.samplers[i], sampling, phase, &splitter->random);
}

/* Tuples that are not taken need not be looked at. */
static size_t take_whole(struct splitter *splitter, const struct tuple *tuples, size_t n,
                         struct message *messages)
{
    struct sampler *sampler = &splitter->parts.samplers[0];
    size_t made = 0, at = 0;
    while (n - at >= sampler->left) {
        at += sampler->left;
        sampler->passed += sampler->left - 1;
        sampler->left = 1;
        messages[made++] = (struct message){
            tuples[at - 1], sampler_step(sampler, &splitter->sampling, &splitter->random)};
    }
    sampler->left -= (uint32_t)(n - at);
    sampler->passed += (uint32_t)(n - at);
    return made;
}

/* Inlined for each hash: the loop must not ask which it is. */
__attribute__((always_inline)) static inline size_t take_bytes(struct splitter *splitter,
                                                               const struct tuple *tuples, size_t n,
                                                               struct message *messages, bool paper)
{
    uint32_t bits = splitter->hash.bits;
    uint8_t *passed = splitter->parts.passed;
    size_t made = 0;
#pragma GCC unroll 4
    for (size_t i = 0; i < n; i++) {
        uint32_t part =
            paper ? hash_paper(&splitter->hash, &tuples[i]) : hash_fast(&tuples[i], bits);
        if (__builtin_expect(!++passed[part], 0))
            messages[made++] = (struct message){tuples[i], BYTE_PERIOD};
    }
    return made;
}

static size_t take_parts(struct splitter *splitter, const struct tuple *tuples, size_t n,
                         struct message *messages)
{
    size_t made = 0;
    for (size_t i = 0; i < n; i++) {
        struct sampler *sampler =
            &splitter->parts.samplers[hash_index(&splitter->hash, &tuples[i])];
        uint64_t count = sampler_step(sampler, &splitter->sampling, &splitter->random);
        if (count)
            messages[made++] = (struct message){tuples[i], count};
    }
    return made;
}

size_t splitter_take(struct splitter *splitter, const struct tuple *tuples, size_t n,
                     struct message *messages)
{
    if (splitter->bytes)
        return splitter->hash.paper ? take_bytes(splitter, tuples, n, messages, true)
                                    : take_bytes(splitter, tuples, n, messages, false);
    return splitter->hash.bits ? take_parts(splitter, tuples, n, messages)
                               : take_whole(splitter, tuples, n, messages);
}
