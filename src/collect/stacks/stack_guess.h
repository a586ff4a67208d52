/* Leaving frames of code that has no unwind rules. */
#pragma once

#include "collect/stacks/stack.h"

struct unwind_frame;
struct unwind_memory;

/* Makes the frame its caller's by one fallback; false, and the frame is as it was, if that does not
 * fit. `innermost`: the frame has called nobody. */
bool stack_guess(enum stack_fallback by, const struct stack_space *space,
                 struct unwind_frame *frame, const struct unwind_memory *memory, bool innermost);

/* The ABI has start code clear rbp to mark the outermost frame. */
bool stack_guess_outermost(const struct unwind_frame *frame, bool innermost);
/* The kernel starts a program, or its loader, at its entry: hand-written code, often without rules,
 * that never returns. */
bool stack_guess_entry(const struct stack_place *place);
