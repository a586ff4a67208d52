/* What interrupts a thread: a perf software clock that raises a signal, or a CPU-time timer.
 *
 * Both are one-shot and count the thread's own CPU time. They are armed at the end of each walk, so
 * no sample is pending during one. A timer is cheap to create, needs no descriptor and is as coarse
 * as the kernel's tick; so threads begin with one and get a perf clock at their first sample. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* The clock that the options ask for: enum record_trigger. */
uint32_t trigger_kind(void);
/* Opens it; fills channel.trigger and perf_errno. False: none possible.
 */
bool trigger_open(struct thread *thread);
/* A timer. */
bool trigger_open_timer(struct thread *thread);
/* The signal that trigger_slot knows has come. */
void trigger_came(struct thread *thread, const void *siginfo);
/* One waits because it is blocked. */
bool trigger_pending(void);
/* Replaces the timer by a perf clock, if the process uses those and there are not too many. */
void trigger_upgrade(struct thread *thread);
void trigger_close(struct thread *thread);

void trigger_arm(struct thread *thread, uint64_t period_ns);
void trigger_disarm(struct thread *thread);
/* The slot of the thread that a signal with this siginfo is for; -1: not a trigger's. */
int32_t trigger_slot(const void *siginfo);

/* True if it is the descriptor of a perf clock. */
bool trigger_owns(int fd);
/* The descriptor of the thread in slot i, or -1. False: i is beyond all used slots. */
bool trigger_descriptor(uint32_t i, int *ret_fd);
/* Gives it another number, if it is one of the agent's. */
void trigger_move(int fd);
