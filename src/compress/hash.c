#include "compress/hash.h"

#include "compress/random.h"

static void permute(uint8_t bytes[256], uint64_t seed)
{
    struct random random = {seed};
    for (uint32_t i = 0; i < 256; i++)
        bytes[i] = (uint8_t)i;
    for (uint32_t i = 255; i; i--) {
        uint32_t other = (uint32_t)random_below(&random, i + 1);
        uint8_t byte = bytes[i];
        bytes[i] = bytes[other];
        bytes[other] = byte;
    }
}

void hash_init(struct hash *hash, uint32_t bits, bool paper, uint64_t seed)
{
    hash->bits = bits;
    hash->paper = paper;
    if (!paper)
        return;
    uint8_t permuted[256];
    permute(permuted, seed);
    for (uint32_t byte = 0; byte < 8; byte++)
        for (uint32_t i = 0; i < 256; i++) {
            hash->folded[byte][i] =
                (uint16_t)hash_fold((uint64_t)permuted[i] << 8 * (7 - byte), bits);
            hash->folded[8 + byte][i] =
                (uint16_t)hash_fold((uint64_t)permuted[i] << 8 * byte, bits);
        }
}
