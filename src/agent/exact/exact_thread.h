/* How a thread enters an exact run, and how it leaves it for good. */
#pragma once

#include <stdint.h>

struct thread;

/* Its context is as at the start of a run. */
void exact_prepare(struct thread *thread);
/* The calling thread enters the code cache. */
void exact_enter(struct thread *thread);
/* Where the stack of its dispatcher begins. */
uint64_t exact_host_top(const struct thread *thread);
/* Runs thread->loop with the state that is in the thread's context; whatever was on its host stack
 * is forgotten. */
__attribute__((noreturn)) void exact_resume(struct thread *thread);

/* It leaves the run, with its state in its context or in a signal frame. */
void exact_retire(struct thread *thread);
/* Then: loads the registers of the context that %gs points to and jumps to the program. */
__attribute__((noreturn)) void exact_go_native(void);
