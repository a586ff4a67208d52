/* Leaving frames of code that has no unwind rules. */
#pragma once

#include "collect/stack.h"

struct unwind_frame;
struct unwind_memory;

enum stack_guess { STACK_GUESSED, STACK_GUESSED_OUTERMOST, STACK_NO_GUESS };

/* Makes the frame its caller's if a fallback fits, and says which. `innermost`: nothing was called. */
enum stack_guess stack_guess(const struct stack_space *space, struct unwind_frame *frame,
                             const struct unwind_memory *memory, bool innermost,
                             enum stack_fallback *ret_fallback);
