/* Returns that are guessed.
 *
 * A return looks its target up in a table and compares it there without changing a flag, because
 * whatever follows might read them: some 16 micro-operations. But before most returns there is an
 * instruction that overwrites all flags, as the `add` to %rsp of an epilogue, and nothing between
 * it and the return stores. In front of it a comparison is free to change flags. There the copy
 * compares the return address with the one that it was made for: if they are equal, a second copy
 * of the few instructions that are left ends in a jump straight to the return's target.
 *
 * What is compared is what the program's stack holds at that moment, so a wrong guess costs two
 * comparisons and no more. Callers that are linked to a function choose, or make, the copy that
 * returns to them (cache_get). */
#pragma once

#include "walk/emit/emit.h"
#include "walk/emit/shape.h"

#include <stdbool.h>

/* Instructions that are copied twice, at most. */
enum { GUESS_STEPS = 12, GUESS_CODE_BYTES = 384, GUESS_NEAR = 1 << 26 };

struct guess {
    uint32_t step;  /* in front of it the guess is compared; SHAPE_STEPS: none is possible */
    int32_t at;     /* the return address is there, from %rsp at that step */
    bool late;      /* it is the branch itself: compared without a flag */
    bool known;     /* where the target is read, is known at the entry: */
    bool stacked;   /* on the stack, ... */
    int64_t source; /* ... so far from %rsp at the entry; or at this address */
};

/* The last step in front of which no flag is live until the indirect end of the shape. SHAPE_STEPS:
 * none in the last segment. */
uint32_t shape_dead_step(const struct shape *shape);
/* Where the branch at the end can be guessed: the same for each copy. */
struct guess guess_find(const struct shape *shape);

/* True if the copies of both surely reach each other: zones are at most 0x78000000 from code. */
static inline bool guess_near(uint64_t pc, uint64_t target)
{
    int64_t distance = (int64_t)(target - pc);
    return distance < GUESS_NEAR && distance > -GUESS_NEAR;
}

/* Compares; emit_guess_missed completes the branches for the other case. */
struct guess_code {
    uint8_t *missed[2];
};
struct guess_code emit_guess(struct code_cursor *c, const struct guess *guess, uint64_t target);
void emit_guess_missed(struct code_cursor *c, const struct guess_code *code);
/* The late comparison, with the target in %r11 and the program's %rcx in its slot: a short branch
 * if it is right, whose field is returned. %rcx is free afterwards. */
uint8_t *emit_guess_late(struct code_cursor *c, uint64_t target);
/* The return itself: takes its address from the stack, and changes nothing else. */
void emit_guessed_return(struct code_cursor *c);
