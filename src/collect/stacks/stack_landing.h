/* The last instructions of a function that throws.
 *
 * libgcc's _Unwind_RaiseException and its kin end in __builtin_eh_return. Before, they copy what
 * the catching frame has of registers, its return address too, over what they themselves had saved.
 * From then on their rules lead to the call that the catching function made, but with their own end
 * of the frame: the stack pointer is too low by what is about to be dropped, and all that follows
 * is wrong. The distance is in a register, and the code says in which. The very last instructions
 * have rules that lead to the landing pad. */
#pragma once

#include "collect/stacks/stack.h"

struct unwind_frame;
struct unwind_memory;

/* `caller` is what the rules made of `thrower`; it is corrected if the thrower is that far. */
void stack_landing(const struct stack_place *place, const struct unwind_frame *thrower,
                   const struct unwind_memory *memory, struct unwind_frame *caller);
