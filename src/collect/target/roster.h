/* The threads of a process that an agent was put into: which of them it is to record.
 *
 * A thread that blocks the signal of samples cannot be sampled. Every new one does, for its first
 * steps: only who does so twice is counted as deaf. */
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum hearing { HEARS, NEW_OR_DEAF, DEAF };

struct roster_entry {
    int tid, inner_tid; /* as we number it, and as the process does */
    enum hearing hearing;
};

struct roster {
    VEC(struct roster_entry); /* by tid */
};

void roster_release(struct roster *roster);
/* As it is now. True: threads that can be recorded have come, or recorded ones have gone. */
bool roster_refresh(struct roster *roster, int pid);
/* The process's own numbers of those that can be recorded, at most n; how many there are. */
uint32_t roster_list(const struct roster *roster, int32_t *ret_tids, uint32_t n);
uint64_t roster_deaf(const struct roster *roster);
