#include "base/sha256.h"

#include <string.h>

enum { BLOCK = 64, ROUNDS = 64, LENGTH_BYTES = 8, STATE = 8 };

static const uint32_t constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t word, unsigned bits)
{
    return word >> bits | word << (32 - bits);
}

static void schedule(uint32_t words[ROUNDS], const uint8_t block[BLOCK])
{
    for (unsigned i = 0; i < 16; i++) {
        uint32_t word;
        memcpy(&word, block + sizeof word * i, sizeof word);
        words[i] = __builtin_bswap32(word);
    }
    for (unsigned i = 16; i < ROUNDS; i++) {
        uint32_t a = words[i - 15], b = words[i - 2];
        words[i] = words[i - 16] + words[i - 7] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) +
                   (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
}

static void block_add(uint32_t state[STATE], const uint8_t block[BLOCK])
{
    uint32_t words[ROUNDS], at[STATE];
    schedule(words, block);
    memcpy(at, state, sizeof at);
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint32_t a = at[0], e = at[4];
        uint32_t more = at[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +
                        ((e & at[5]) ^ (~e & at[6])) + constants[i] + words[i];
        uint32_t most = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) +
                        ((a & at[1]) ^ (a & at[2]) ^ (at[1] & at[2]));
        memmove(at + 1, at, sizeof at - sizeof *at);
        at[4] += more;
        at[0] = more + most;
    }
    for (unsigned i = 0; i < STATE; i++)
        state[i] += at[i];
}

void sha256(const void *bytes, size_t n, uint8_t ret_digest[SHA256_BYTES])
{
    uint32_t state[STATE] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const uint8_t *at = bytes;
    uint64_t bits = __builtin_bswap64((uint64_t)n * 8);
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
    for (unsigned i = 0; i < STATE; i++) {
        uint32_t word = __builtin_bswap32(state[i]);
        memcpy(ret_digest + sizeof word * i, &word, sizeof word);
    }
}
