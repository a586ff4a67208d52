/* Maps a tuple to one of 2^bits places of a table, in two ways.
 *
 * The paper's: each byte of place and value is replaced by a random permutation, the bytes of the
 * place are reversed, and both are folded by exclusive or. All of that is linear over exclusive or,
 * byte by byte, so 16 look-ups in tables of each byte's final contribution give the same result.
 * The fast one: a multiplication and the top bits, which depend on all others. The halves of the
 * value are swapped first: values are mostly small and addresses large, so they do not overlap. */
#pragma once

#include "compress/tuple.h"

#include <stdbool.h>

enum { HASH_BITS_MAX = 16 };

struct hash {
    uint32_t bits;
    bool paper;
    uint16_t folded[16][256]; /* the paper's */
};

void hash_init(struct hash *hash, uint32_t bits, bool paper, uint64_t seed);

static inline uint32_t hash_paper(const struct hash *hash, const struct tuple *tuple)
{
    uint32_t index = 0;
    for (uint32_t byte = 0; byte < 8; byte++)
        index ^= hash->folded[byte][(uint8_t)(tuple->place >> 8 * byte)] ^
                 hash->folded[8 + byte][(uint8_t)(tuple->value >> 8 * byte)];
    return index;
}

/* At least one bit. */
static inline uint32_t hash_fast(const struct tuple *tuple, uint32_t bits)
{
    uint64_t mixed =
        (tuple->place ^ (tuple->value << 32 | tuple->value >> 32)) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(mixed >> (64 - bits));
}

static inline uint32_t hash_index(const struct hash *hash, const struct tuple *tuple)
{
    if (!hash->bits)
        return 0;
    return hash->paper ? hash_paper(hash, tuple) : hash_fast(tuple, hash->bits);
}

/* Exclusive or of all pieces of so many bits, from the lowest on. */
static inline uint32_t hash_fold(uint64_t word, uint32_t bits)
{
    uint64_t sum = 0;
    if (bits && !(bits & (bits - 1))) { /* pieces come out even: halves on halves */
        sum = word;
#pragma GCC unroll 6
        for (uint32_t half = 32; half >= bits; half >>= 1)
            sum ^= sum >> half;
    } else {
        for (; bits && word; word >>= bits)
            sum ^= word;
    }
    return (uint32_t)(sum & ((UINT64_C(1) << bits) - 1));
}
