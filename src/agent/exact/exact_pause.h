/* Arrivals that a signal has interrupted before the program executed anything there.
 *
 * The edge that led there is counted. If the handler returns, the place runs and all is well. If it
 * leaves by a jump (siglongjmp, setcontext) or returns to another place, the arrival was in vain:
 * the tool must know, or it would take the next return to that place for this arrival. A pause is
 * kept until its handler returns; one that is still there when the thread ends, or when another
 * signal has its frame, is published (UNIT_ABANDONED). */
#pragma once

#include <stdint.h>

struct thread;

/* A handler begins that interrupts `pc`; its rt_sigreturn will find its frame at `frame`. Nothing
 * is kept unless thread->arrived. */
void exact_pause_begin(struct thread *thread, uint64_t frame, uint64_t pc);
/* The frame was returned from, to `pc`. */
void exact_pause_end(struct thread *thread, uint64_t frame, uint64_t pc);
/* No handler of the thread will return on copies. */
void exact_pauses_publish(struct thread *thread);
/* They are another process's. */
void exact_pauses_forget(struct thread *thread);
