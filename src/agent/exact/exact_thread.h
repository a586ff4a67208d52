/* A thread of an exact run, on its way into the dispatcher's loop (thread->loop). */
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
