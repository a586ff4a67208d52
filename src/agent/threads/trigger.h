/* What interrupts a thread: a perf software clock that raises a signal, or a CPU-time timer.
 *
 * Both are one-shot and counted in the thread's own CPU time. Armed at the end of each walk, so
 * that no sample is ever pending during one. A timer is cheap to make, has no descriptor and is as
 * coarse as the kernel's tick; so threads begin with one and get a perf clock when they have lived
 * to their first sample. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* The clock that the options ask for; fills channel.trigger and perf_errno. False: none could be
 * had. */
bool trigger_open(struct thread *thread);
/* A timer, for now. */
bool trigger_open_timer(struct thread *thread);
/* A perf clock instead of the timer, if that is what the process uses and there are not too many.
 */
void trigger_upgrade(struct thread *thread);
void trigger_close(struct thread *thread);

void trigger_arm(struct thread *thread, uint64_t period_ns);
void trigger_disarm(struct thread *thread);
/* The slot of the thread that a signal with this siginfo is for; -1: it is not ours. */
int32_t trigger_slot(const void *siginfo);

/* Whether it is the descriptor of a perf clock. */
bool trigger_owns(int fd);
/* The descriptor of the thread in slot i, or -1. False: no slot so high is in use. */
bool trigger_descriptor(uint32_t i, int *ret_fd);
/* If it is one of ours, it gets another number. */
void trigger_move(int fd);
