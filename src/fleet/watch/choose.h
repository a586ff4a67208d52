/* Which processes a round records. */
#pragma once

#include "fleet/watch/config.h"

#include "base/map.h"

struct watched {
    int pid;
    uint64_t start;   /* since the machine's, in ticks: with the pid it names the process */
    double cpu_s;     /* since the last look, or since its start */
    bool fresh;       /* never recorded */
    bool idle;        /* so little is done that a recording would most likely see nothing */
    const char *name; /* of its program as it was called, without the folder */
    const char *service;
};

struct watch_choice {
    struct arena arena;
    VEC(struct watched); /* those to be recorded first come first */
    uint32_t closed;     /* that fit, but are of users whose processes this one may not read */
    struct watched closed_first;
    const char *closed_user;
};

struct watch_seen {
    double cpu_s; /* at the last look */
    bool recorded, there;
    /* Since when it did what it does alone: the last look, or the end of the last recording. */
    double alone_cpu_s, alone_s;
};

/* What is remembered from round to round. */
struct watch_memory {
    struct map processes; /* pid and start; index i owns at[i] */
    VEC(struct watch_seen);
};

void watch_memory_init(struct watch_memory *memory);
void watch_memory_release(struct watch_memory *memory);

/* Looks at all processes; this one and what it started are never chosen, nor is one that was
 * recorded and has used so little CPU time since that a recording would hardly see it. Each
 * service's first comes before any service's second, so that one with many new processes leaves
 * time for others. The caller releases the choice. */
void watch_choose(const struct watch_config *config, struct watch_memory *memory,
                  struct watch_choice *ret_choice);
void watch_choice_release(struct watch_choice *choice);
/* It was recorded: others come first next time. */
void watch_recorded(struct watch_memory *memory, const struct watched *process);
