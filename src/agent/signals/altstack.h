/* Alternate signal stacks while sampling.
 *
 * A signal frame takes up to 12 KiB (AVX-512, AMX). A program's own alternate stack may have room
 * for one frame only, so a sample must never need room there. Threads that the shim knows therefore
 * have an alternate stack of the agent's in the kernel, always. The stack that the program set is
 * kept in `thread->altstack`, and signals of the program are moved there when they arrive
 * (agent/signals/handover.h). */
#pragma once

#include "agent/base/kernel.h"

#include <stdbool.h>

struct thread;

/* Lends the calling thread a stack of the agent's, or gives the program's back to the kernel. */
void altstack_lend(struct thread *thread);
void altstack_take_back(const struct thread *thread);
/* The thread whose lent stack contains `sp`; NULL: none. */
struct thread *altstack_lender(uint64_t sp);
/* What the program has set, in a fork's child whose thread has no slot yet. *ret_lender: the
 * parent's thread that forked, in this copy of its memory; NULL: not known. */
struct kernel_altstack altstack_inherited(const struct thread **ret_lender);
/* Asks the kernel whether it accepts what the program sets, and restores the agent's; no signal
 * comes in between. Negative error number: it does not. If the caller runs on that stack, the
 * kernel keeps the program's. */
long altstack_judge(const struct kernel_altstack *ours, const struct kernel_altstack *set);
/* The program's sigaltstack, called with stack pointer `sp`; the result is 0 or a negative error
 * number. False: the kernel has the program's stack itself, ask there. */
bool altstack_program(uint64_t sp, const struct kernel_altstack *set,
                      struct kernel_altstack *ret_old, long *ret_result);

/* What the kernel would report to a program whose stack pointer is `sp`. */
struct kernel_altstack altstack_seen(const struct thread *thread, uint64_t sp);
/* Where a handler that wants it begins; 0: there is none, or `sp` is on it already. */
uint64_t altstack_top(const struct thread *thread, uint64_t sp);
/* Sets what the program, or a frame that it returns by, asks for; informative flags are left out.
 */
void altstack_set(struct thread *thread, const struct kernel_altstack *wanted);
/* A handler begins: a stack that is set for one delivery is disarmed, wherever that handler runs.
 */
void altstack_left(struct thread *thread);
