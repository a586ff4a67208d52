/* A copied stack, reduced to what unwinding needs.
 *
 * Unwinding uses return addresses and pointers into the stack; most words of a stack are neither.
 * So words that cannot be addresses are reduced to "zero" or "other". 64 words become two masks
 * (which are addresses, which are zero) followed by the addresses. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decoded for "other": no address. */
#define STACK_WORD_OTHER 1u

enum { STACK_WORDS_BLOCK = 64, STACK_WORDS_MASKS = 2 };

/* The most words that n words can become. */
#define STACK_WORDS_ROOM(n)                                                                        \
    ((n) + STACK_WORDS_MASKS * (((n) + STACK_WORDS_BLOCK - 1) / STACK_WORDS_BLOCK))

/* Returns how many were written. Both may lie in one array of STACK_WORDS_ROOM, the input at its
 * end. */
uint32_t stack_words_encode(uint64_t *to, const uint64_t *from, uint32_t n);
/* False: fewer words than the masks say. */
bool stack_words_decode(const uint64_t *from, size_t room, uint64_t *to, uint32_t n);
