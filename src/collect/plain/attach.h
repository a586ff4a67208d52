/* Following processes that run already: all their threads, and what those will start. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct follow;
struct perf_events;

/* Follows each thread of the process, and makes it and its mappings known. Threads that cannot be
 * followed are counted in *ret_missed. False: no thread could be followed. */
bool attach_process(struct perf_events *events, struct follow *follow, int pid, uint64_t now_ns,
                    uint64_t *ret_missed, struct err *err);
