/* Follows running processes: all their threads, and what those start. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct follow;
struct perf_events;

/* Follows each thread of the process, and reads its mappings. *ret_missed: threads that could not
 * be followed. False: none could. */
bool attach_process(struct perf_events *events, struct follow *follow, int pid, uint64_t now_ns,
                    uint64_t *ret_missed, struct err *err);
/* Starts the waiter, the sampler and the accounting of what is followed. */
void attach_start(struct perf_events *events, struct follow *follow, uint64_t now_ns);
