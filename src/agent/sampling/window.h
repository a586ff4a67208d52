/* A recorded window: the part of a walk that is recorded exit by exit, and sent to the tool. */
#pragma once

#include <stdint.h>

struct thread;

/* Walks until the window is full, ends, or is suspended at a system call. */
void window_take(struct thread *thread);
/* Sends the one before and takes another, further on: all is warm there, and it costs a third of
 * one at an interrupt of its own. */
void window_further(struct thread *thread);
/* The call at which it was suspended has returned. */
void window_resume(struct thread *thread);
/* It was suspended, and is not walked on. */
void window_end(struct thread *thread);
/* The walk was left: what was recorded is all there is. */
void window_close(struct thread *thread);
/* Books it and sends it, to stand for so much of the sample. */
void window_send(struct thread *thread, uint32_t share);
