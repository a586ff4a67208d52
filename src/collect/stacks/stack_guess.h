/* Unwinding of code without unwind rules. */
#pragma once

#include "collect/stacks/stack.h"

struct unwind_frame;
struct unwind_memory;

/* Turns the frame into its caller's, by one kind of guess. False: the guess does not fit, and the
 * frame is unchanged. `innermost`: the frame is the sampled one. */
bool stack_guess(enum stack_fallback by, const struct stack_space *space,
                 struct unwind_frame *frame, const struct unwind_memory *memory, bool innermost);

/* Whether rbp is 0: by the ABI, start code clears it to mark the outermost frame. */
bool stack_guess_outermost(const struct unwind_frame *frame, bool innermost);
/* Whether the place is an entry point, of a program or its loader: hand-written code, often without
 * rules, that never returns. */
bool stack_guess_entry(const struct stack_place *place);
