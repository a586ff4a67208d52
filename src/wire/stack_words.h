/* A copied stack without what nobody who follows frames can use.
 *
 * Frames are left by return addresses and by pointers into the stack; most of a stack is neither.
 * So of each word that is no address, 0 is told from others, and no more. 64 words become two
 * masks, which are addresses and which are 0, and the addresses. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What stands for a word that was neither: no address. */
#define STACK_WORD_OTHER 1u

enum { STACK_WORDS_BLOCK = 64, STACK_WORDS_MASKS = 2 };

/* The most that n words become. */
#define STACK_WORDS_ROOM(n)                                                                        \
    ((n) + STACK_WORDS_MASKS * (((n) + STACK_WORDS_BLOCK - 1) / STACK_WORDS_BLOCK))

/* Returns how many were written. Both may lie in one array of that room, what is read at its end.
 */
uint32_t stack_words_encode(uint64_t *to, const uint64_t *from, uint32_t n);
/* False: there are not as many as the masks say. */
bool stack_words_decode(const uint64_t *from, size_t room, uint64_t *to, uint32_t n);
