/* What one sample of the kernel costs the thread that it interrupts. */
#pragma once

#include <stdint.h>

struct perf_request;

/* Samples this thread for a millisecond, as the request does others, and takes the median of
 * the interruptions: nanoseconds. A usual figure if it cannot be measured. */
uint64_t perf_cost_measure(const struct perf_request *request);
