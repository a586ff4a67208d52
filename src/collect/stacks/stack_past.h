/* The last whole stack of each thread of a process: the kernel copies only so much of a stack, and
 * what lies beyond was often seen a moment ago, in a sample that was taken less deep.
 *
 * A truncated stack is continued if its outermost frame, known by its place and its return address,
 * was in the last whole stack of the thread. That is no proof: the function may have returned and
 * have been called again at the same depth along another way. So it is counted as a guess. Frames
 * of older stacks are not looked for: there such ways are common. */
#pragma once

#include "base/vec.h"
#include "collect/stacks/stack.h"

/* Starts as {0}. */
struct stack_past {
    VEC(struct past_stack); /* by where the thread's stack begins */
};

void stack_past_release(struct stack_past *past);

/* The innermost frame of the stack that the last whole one of its thread has, too; stack->n: there
 * is none. */
size_t stack_past_common(const struct stack_past *past, const struct stack *stack);
/* Continues a truncated stack if it can; remembers a whole one, a continued one too. */
void stack_past_apply(struct stack_past *past, struct stack *stack);
