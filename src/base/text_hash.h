/* FNV-1a: for keys that stand for texts. */
#pragma once

#include <stdint.h>

static inline uint64_t text_hash(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
    return hash;
}
