/* Which processes a round records. */
#pragma once

#include "fleet/watch/config.h"

#include "base/map.h"

struct watched {
    int pid;
    uint64_t start;   /* since the machine's, in ticks: with the pid it names the process */
    double cpu_s;     /* since the last look, or since its start */
    bool fresh;       /* never recorded */
    const char *name; /* of its program, without the folder */
    const char *service;
};

struct watch_choice {
    struct arena arena;
    VEC(struct watched); /* those to be recorded first come first */
};

struct watch_seen {
    double cpu_s;
    bool recorded, there;
};

/* What is remembered from round to round. */
struct watch_memory {
    struct map processes; /* pid and start; index i owns at[i] */
    VEC(struct watch_seen);
};

void watch_memory_init(struct watch_memory *memory);
void watch_memory_release(struct watch_memory *memory);

/* Looks at all processes; this one and what it started are never chosen. The caller releases the
 * choice. */
void watch_choose(const struct watch_config *config, struct watch_memory *memory,
                  struct watch_choice *ret_choice);
void watch_choice_release(struct watch_choice *choice);
/* It was recorded: others come first next time. */
void watch_recorded(struct watch_memory *memory, const struct watched *process);
