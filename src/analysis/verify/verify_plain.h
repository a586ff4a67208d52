/* Checks the stacks of a plain profile. */
#pragma once

#include "analysis/verify/verification.h"

struct scene;

/* - Weights of stacks that do not end in the kernel add up to the totals' time.
 * - Every frame is an address of executable code.
 * - A caller's address is the last byte of a call instruction. Not of calls are the frames that a
 * signal interrupted, the code it returns to, and those that entered the kernel. */
void stacks_check(struct verification *verdict, struct scene *scene);
