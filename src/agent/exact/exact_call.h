/* System calls of the program, made by the dispatcher with the registers in the context. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* Executes the system call that is in the context; returns its result. Signals may come while it
 * waits. EXACT_AGAIN: a signal is held, and must be delivered first. */
enum { EXACT_AGAIN = -512 };
long exact_call(void);
/* True if pc is in exact_call, and the call was not made yet or will be restarted. */
bool exact_calling(uint64_t pc);
/* True right after the call. */
bool exact_called(uint64_t pc);
/* A signal comes before the system call at thread.call_pc: moves pc there and takes the call off
 * the counts. `poured`: a trace has the call already, and keeps it. */
void exact_call_postpone(struct thread *thread, bool poured);
/* A signal came in exact_call. `rcx` is the interrupted register: if the instruction was executed,
 * the kernel is about to restart the call. It then counts twice, as the processor counts it, and
 * the program sees what the first execution left. */
void exact_call_interrupted(struct thread *thread, uint64_t rcx);
