/* Follows running processes: all their threads, and what those start. */
#pragma once

#include "base/vec.h"

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

struct threads_running {
    VEC(uint32_t);
};
/* All that are followed now, by tid. */
void threads_list(struct threads_running *running, const struct follow *follow);
/* Follows those of them that are still there by other events. False: none. */
bool attach_again(struct perf_events *events, const struct threads_running *running);
