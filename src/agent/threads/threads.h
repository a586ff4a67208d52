/* The life of a thread's slot: from when the thread is first known until its end. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* Records a thread of this process from now on: the calling one, or any other by its id. NULL: it
 * could not be had, which is counted. */
struct thread *thread_adopt(int32_t tid);
/* The same in two steps, for a thread that is still to be made: a slot, NULL if there is none, and
 * later, by the thread itself, whose it is. */
struct thread *thread_reserve(void);
void thread_identify(struct thread *thread);
/* Tells the tool of it: once the process has a channel. */
void thread_enlist(struct thread *thread);
/* Gives it what a walk needs. False: there is no memory. */
bool thread_equip(struct thread *thread);
/* Takes it away again. */
void thread_strip(struct thread *thread);
/* It is about to end, or has ended: takes its leave, and makes its slot free. */
void thread_release(struct thread *thread);
/* The same, but the slot is not free yet: the thread still stands on the stack that is part of it.
 */
void thread_retire(struct thread *thread);
/* Releases the slots of threads that ended without a word. */
void threads_reap(void);
