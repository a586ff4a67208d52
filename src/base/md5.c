#include "base/md5.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 64, ROUNDS = 64, LENGTH_BYTES = 8 };

static uint32_t turn(uint32_t word, unsigned bits)
{
    return word << bits | word >> (32 - bits);
}

/* What a round mixes, and which word of the block it takes. */
static uint32_t mix(unsigned round, uint32_t b, uint32_t c, uint32_t d, unsigned *ret_word)
{
    switch (round / 16) {
    case 0: *ret_word = round; return (b & c) | (~b & d);
    case 1: *ret_word = (5 * round + 1) % 16; return (d & b) | (~d & c);
    case 2: *ret_word = (3 * round + 5) % 16; return b ^ c ^ d;
    default: *ret_word = 7 * round % 16; return c ^ (b | ~d);
    }
}

static void block_add(uint32_t state[4], const uint8_t block[BLOCK])
{
    static const uint8_t turns[4][4] = {
        {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned at;
        uint32_t word, mixed = mix(round, b, c, d, &at);
        memcpy(&word, block + sizeof word * at, sizeof word);
        uint32_t constant = (uint32_t)(fabs(sin(round + 1.0)) * 4294967296.0);
        uint32_t turned = turn(a + mixed + constant + word, turns[round / 16][round % 4]);
        a = d;
        d = c;
        c = b;
        b += turned;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

void md5(const void *bytes, size_t n, uint8_t ret_digest[MD5_BYTES])
{
    uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    const uint8_t *at = bytes;
    uint64_t bits = (uint64_t)n * 8;
    uint8_t last[2 * BLOCK] = {0};
    for (; n >= BLOCK; n -= BLOCK, at += BLOCK)
        block_add(state, at);
    if (n)
        memcpy(last, at, n);
    last[n] = 0x80;
    size_t whole = n + 1 + LENGTH_BYTES <= BLOCK ? BLOCK : 2 * BLOCK;
    memcpy(last + whole - LENGTH_BYTES, &bits, sizeof bits);
    for (size_t i = 0; i < whole; i += BLOCK)
        block_add(state, last + i);
    memcpy(ret_digest, state, MD5_BYTES);
}
