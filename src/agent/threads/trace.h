/* The writing end of an exact trace: copies a thread's exits into the ring of its bank. The program
 * waits when the tool is behind, and goes native when the tool is gone. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* The thread's trace begins at context.pc. */
void trace_begin(struct thread *thread);
/* Writes what was recorded. The last exit went to end_pc, and recording goes on at next_pc. False:
 * the tool is gone. */
bool trace_pour(struct thread *thread, uint64_t end_pc, uint64_t next_pc);
/* Closes the trace. */
void trace_end(struct thread *thread);
