/* The last whole stack of each thread of a process. The kernel copies only so much of a stack, and
 * the rest was often in an earlier, less deep sample.
 *
 * A truncated stack is continued if its outermost frame, identified by its place and return
 * address, was in the last whole stack of the thread. That is no proof: the function may have
 * returned and have been called again at the same depth by other callers. So it is counted as a
 * guess. Older stacks are not used: there such cases are common. */
#pragma once

#include "base/vec.h"
#include "collect/stacks/stack.h"

/* Starts as {0}. */
struct stack_past {
    VEC(struct past_stack); /* by the begin of the thread's stack */
};

void stack_past_release(struct stack_past *past);

/* The innermost frame that the last whole stack of the thread has, too; stack->n: none. */
size_t stack_past_common(const struct stack_past *past, const struct stack *stack);
/* Continues a truncated stack if possible; remembers whole and continued stacks. */
void stack_past_apply(struct stack_past *past, struct stack *stack);
