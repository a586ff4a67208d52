/* The life of a thread's slot: from when the thread is first known until its end. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* Records a thread of this process from now on, by its id. NULL: not possible, which is counted. */
struct thread *thread_adopt(int32_t tid);
/* The same in two steps, for a thread that does not exist yet: reserves a slot (NULL: none); later
 * the thread itself claims it. */
struct thread *thread_reserve(void);
void thread_identify(struct thread *thread);
/* Publishes it: once the process has a channel. */
void thread_enlist(struct thread *thread);
/* Gives it what a walk needs. False: no memory. */
bool thread_equip(struct thread *thread);
/* Undoes thread_equip. */
void thread_strip(struct thread *thread);
/* It is about to end, or has ended: publishes that and frees its slot. */
void thread_release(struct thread *thread);
/* The same, but the slot is not free yet: the thread still runs on the stack in it. */
void thread_retire(struct thread *thread);
/* Releases the slots of threads that ended unnoticed. */
void threads_reap(void);
