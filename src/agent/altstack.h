/* Alternate signal stacks while sampling: threads of programs that have none are lent one of ours, since the stack
 * that a sample finds may be too small for its frame. What the program believes is kept for it. */
#pragma once

#include "agent/kernel.h"

#include <stdbool.h>

struct thread;

/* The calling thread gets one, unless the program has set one; at its end it gives it back. */
void altstack_lend(struct thread *thread);
void altstack_take_back(const struct thread *thread);
/* The program's sigaltstack; results as the kernel's. False: not our business. */
bool altstack_program(const struct kernel_altstack *set, struct kernel_altstack *ret_old,
                      long *ret_result);
