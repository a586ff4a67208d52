/* Paths that are counted by their number (PLAN_COUNT_PATH) and known at translation: each has a
 * counter of its own, published as UNIT_PATH, for all code and threads of the process. Under the
 * cache's lock. */
#pragma once

#include "walk/base/unit_log.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    KNOWN_PATHS_SLOTS = 1 << 18,
    KNOWN_PATHS_MAX = KNOWN_PATHS_SLOTS / 2,
};

struct known_path {
    uint64_t path;
    uint32_t function;
    uint32_t counter; /* 0: the slot is free */
};

/* Zeroed, sparsely mapped memory. */
struct known_paths {
    struct unit_log *units;
    uint32_t n;
    struct known_path slots[KNOWN_PATHS_SLOTS];
};

/* Its counter, or the first of two; 0: there are too many, the thread's table counts it. */
uint32_t known_path_counter(struct known_paths *known, uint32_t function, uint64_t path,
                            bool ticks);
/* Its counter's number in each node of the function, plus one; 0: there are too many. */
uint32_t known_path_in_node(struct known_paths *known, uint32_t function, uint64_t path);
/* For a fork, whose channel is new. */
void known_paths_forget(struct known_paths *known);
