/* Who is in a code cache, and who may change it. Threads run in it side by side; one at a time
 * changes it; who takes away what others run must be in it alone. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define GATE_CLAIMED UINT32_MAX

struct gate {
    uint32_t lock;  /* a futex: 0 free, 1 taken, 2 taken and waited for */
    uint32_t users; /* threads that are in, or GATE_CLAIMED */
};

/* A thread is in between these two. False: somebody has claimed it. */
bool gate_enter(struct gate *gate);
void gate_leave(struct gate *gate);
/* For the calling thread alone, which is not in; false: there are others. Who has released it is
 * in, like after gate_enter. */
bool gate_claim(struct gate *gate);
void gate_release(struct gate *gate);
/* Whether anybody is in. */
bool gate_occupied(const struct gate *gate);
/* Whether nobody else is in, for a thread that is. */
bool gate_alone(const struct gate *gate);

/* Whoever does not wait tries for some microseconds only: the holder may have lost its CPU. */
bool gate_lock(struct gate *gate, bool wait);
void gate_unlock(struct gate *gate);
