/* Page faults in trails. The kernel serves them, so their time is not the code's own: a trail
 * through code that touches fresh memory would seem many times slower than the code is. */
#pragma once

#include <stdint.h>

/* How many the calling thread has had. */
uint64_t agent_faults(void);

/* Touches `bytes` of fresh memory; returns the ticks that a fault takes. */
uint64_t agent_faults_measure(volatile uint8_t *memory, uint32_t bytes);

/* What is left of `ticks` without the time of n faults that take `each`. They do not all take the
 * same time: never less than an eighth. */
uint64_t agent_faults_deduct(uint64_t ticks, uint64_t n, uint64_t each);
