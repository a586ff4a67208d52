/* Threads in a code cache, and the lock for changing it. Threads run in it side by side; one at a
 * time changes it; to remove code that others may run, a thread must be alone in it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define GATE_CLAIMED UINT32_MAX

struct gate {
    uint32_t lock;  /* a futex: 0 free, 1 taken, 2 taken and waited for */
    uint32_t users; /* threads in the cache, or GATE_CLAIMED */
};

/* A thread is in the cache between these two. False: another has claimed it. */
bool gate_enter(struct gate *gate);
void gate_leave(struct gate *gate);
/* Claims the cache for the calling thread, which must be outside; false: others are in it. After
 * gate_release the thread is in, as after gate_enter. */
bool gate_claim(struct gate *gate);
void gate_release(struct gate *gate);
/* True if any thread is in. */
bool gate_occupied(const struct gate *gate);
/* True if no other thread is in; the caller is. */
bool gate_alone(const struct gate *gate);

/* Without `wait` it tries for some microseconds only: the holder may have lost its CPU. */
bool gate_lock(struct gate *gate, bool wait);
void gate_unlock(struct gate *gate);
