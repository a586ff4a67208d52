/* The writing end of an exact trace: what a thread's exits filled is poured into the ring of its
 * bank. The program waits when the tool is behind, and goes native when the tool is gone. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* The thread's trace begins, where its context stands. */
void trace_begin(struct thread *thread);
/* Hands over what was recorded; the last exit went to end_pc, and recording goes on at next_pc.
 * False: the tool is gone. */
bool trace_pour(struct thread *thread, uint64_t end_pc, uint64_t next_pc);
/* Nothing more will come. */
void trace_end(struct thread *thread);
