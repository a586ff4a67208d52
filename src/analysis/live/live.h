/* The last seconds of a plain recording that goes on.
 *
 * News come every second or two, and each is a slice. The slices of the last `span_ns` are the
 * window that rows are made of. Names and binaries are kept from one window to the next. */
#pragma once

#include "analysis/counts/groups.h"
#include "analysis/live/live_code.h"
#include "base/intern.h"
#include "base/vec.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* A weight of a calling context. */
struct live_cell {
    uint32_t node, group;
    uint64_t weight;
};

/* CPU time of a thread, known exactly from context switches. */
struct live_time {
    uint32_t pid, tid;
    const char *name; /* interned */
    uint64_t user_ns, kernel_ns;
};

struct live_slice {
    uint64_t from_ns, to_ns; /* CLOCK_MONOTONIC */
    uint64_t tool_ns;        /* CPU time of gait itself */
    uint64_t samples, lost;
    struct live_cells {
        VEC(struct live_cell);
    } cells;
    struct live_times {
        VEC(struct live_time);
    } times;
};

struct live {
    uint64_t span_ns;
    bool measured; /* the times of threads are known: context switches are reported */
    struct live_code code;
    struct intern names; /* of threads */
    struct stacks nodes; /* of all slices; without weights */
    struct live_functions_of {
        VEC(uint32_t);
    } function_of; /* nodes -> functions of the code; LIVE_NONE: a root, which is a thread */
    struct live_slices {
        VEC(struct live_slice); /* the oldest first */
    } slices;
};

void live_init(struct live *live, uint64_t span_ns, bool measured);
void live_release(struct live *live);

/* A slice more; those that are older than the window go. `patient`: all names are looked up,
 * however long it takes. */
void live_add(struct live *live, const struct profile *news, uint64_t from_ns, uint64_t to_ns,
              uint64_t tool_ns, bool patient);

/* What the window adds up to. */
struct live_sum {
    uint64_t elapsed_ns, user_ns, kernel_ns, tool_ns;
    uint64_t samples, lost;
};
struct live_sum live_sum(const struct live *live);
