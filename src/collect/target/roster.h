/* The threads of a process with an injected agent: which of them it records.
 *
 * A thread that blocks the signal of samples cannot be sampled. Every new thread does, for its
 * first instructions: so a thread counts as deaf when it blocks it twice. */
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum hearing { HEARS, NEW_OR_DEAF, DEAF };

struct roster_entry {
    int tid, inner_tid; /* the tool's number, and the process's own */
    enum hearing hearing;
};

struct roster {
    VEC(struct roster_entry); /* by tid */
};

void roster_release(struct roster *roster);
/* Updates the list. True: recordable threads have appeared, or recorded ones have ended. */
bool roster_refresh(struct roster *roster, int pid);
/* The process's own numbers of recordable threads, at most n. Returns how many there are. */
uint32_t roster_list(const struct roster *roster, int32_t *ret_tids, uint32_t n);
uint64_t roster_deaf(const struct roster *roster);
