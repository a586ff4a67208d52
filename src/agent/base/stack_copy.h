/* Copies the stack of an interrupted thread: its registers and what lies above its stack pointer.
 * The tool unwinds it; the agent knows nothing of frames.
 *
 * Only the owner of a stack knows where it ends, and it may be anywhere, like those of coroutines.
 * So the copy goes on until a fault ends it (stack_copy_faulted). If a fault must not happen,
 * because the program blocks it or runs on the stack where it would be delivered, the kernel makes
 * the copy, ten times as slow. */
#pragma once

#include "wire/channel.h"
#include "wire/stack_words.h"

#include <stdbool.h>
#include <stdint.h>

struct kernel_ucontext;

enum { STACK_COPY_WORDS = STACK_COPY_DEEP / 8, STACK_COPY_GUESSES = 16 };

struct stack_copy {
    uint64_t registers[STACK_COPY_REGISTERS];
    uint64_t words[STACK_WORDS_ROOM(STACK_COPY_WORDS)]; /* encoded */
    uint32_t n_words;
    uint32_t guesses; /* copies since the stack's begin was known */
};

/* Up to `begin`, the start of the thread's stack, if that is no further than STACK_COPY_DEEP: most
 * stacks are short. As much if that is not known (0), STACK_COPY_GUESSES times; else `most` bytes.
 * Returns the bytes copied; 0: none. */
uint32_t stack_copy_take(struct stack_copy *copy, const struct kernel_ucontext *frame,
                         uint64_t begin, uint32_t most);
/* Memory of the interrupted program; returns how many bytes were copied. */
uint64_t stack_copy_memory(void *to, uint64_t from, uint64_t bytes,
                           const struct kernel_ucontext *frame);
/* Copies until a page is not there. Returns how many bytes were copied. */
uint64_t stack_copy_guarded(void *to, uint64_t from, uint64_t bytes);
/* Whether this fault is the end of such a copy: then it goes on behind it. */
bool stack_copy_faulted(struct kernel_ucontext *frame);

/* What the copy takes in an event. */
static inline uint32_t stack_copy_bytes(const struct stack_copy *copy)
{
    return (uint32_t)sizeof copy->registers + 8 * copy->n_words;
}
void stack_copy_write(const struct stack_copy *copy, uint64_t *to);
