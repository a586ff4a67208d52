/* The exact run: threads that live on copies of their code, every block and edge counted or traced.
 */
#pragma once

#include "walk/cache/cache.h"

struct thread;

/* Returns to its caller in the code cache: from there on the thread runs on copies. */
void exact_take_over(struct thread *thread);
/* Begins the program at pc with that stack: registers are as execve leaves them. */
__attribute__((noreturn)) void exact_start(uint64_t pc, uint64_t sp);
/* Goes on with the state that is in the thread's context; whatever was on its host stack is
 * forgotten. */
__attribute__((noreturn)) void exact_resume(struct thread *thread);
/* A superblock was left in the middle, at this place: what of it did not run was counted all the
 * same. */
void exact_cut(struct thread *thread, const struct location *location);
/* A trace hands over what it has: the last exit went to end_pc, the thread goes on at next_pc.
 * False: nobody reads it any more. */
bool exact_pour(struct thread *thread, uint64_t end_pc, uint64_t next_pc);
/* The thread goes native for good, from the state in its context or in a signal frame. */
void exact_retire(struct thread *thread);
/* The program's clone, fork or vfork, as in the context; moves pc past it. False: this is a child
 * that must go on natively. */
bool exact_clone(struct thread *thread, uint64_t next);
/* The program's exit of one thread. */
__attribute__((noreturn)) void exact_exit(struct thread *thread, int status);
/* Runs the system call that is in the context; its result. Signals may come while it waits.
 * EXACT_AGAIN: a signal is held, and must be delivered first. */
enum { EXACT_AGAIN = -512 };
long exact_call(void);
/* Whether pc is in exact_call, and the call has not been made or is to be made again. */
bool exact_calling(uint64_t pc);
/* Whether it is right behind the call. */
bool exact_called(uint64_t pc);
/* A signal comes before the system call at thread.call_pc: moves pc there and takes the call off
 * the counts. `poured`: a trace has the call already, and keeps it. */
void exact_call_postpone(struct thread *thread, bool poured);
/* A signal came in exact_call. `rcx` is the interrupted register: if the instruction was executed,
 * the kernel is about to start the call again. It then counts twice, as the processor counts it,
 * and the program sees what the first execution left. */
void exact_call_interrupted(struct thread *thread, uint64_t rcx);
