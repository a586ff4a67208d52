/* Hardware registers as tables of named bit fields, for decoding and for printing. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct bits {
    const char *name; /* as the vendor's manual has it */
    uint8_t word, low, n;
};

static inline uint64_t bits_of(const struct bits *bits, const uint64_t *words)
{
    return words[bits->word] >> bits->low & (UINT64_MAX >> (64 - bits->n));
}

/* Receives each part of a record. */
struct bits_listener {
    void (*hear)(void *closure, const char *name, uint64_t value);
    void *closure;
};
