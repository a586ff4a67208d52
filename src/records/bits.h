/* Registers of hardware as tables: which bits of which word are called what. One table serves
 * decoding and telling. */
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

/* Who wants to hear what each part of a record says. */
struct bits_listener {
    void (*hear)(void *closure, const char *name, uint64_t value);
    void *closure;
};
