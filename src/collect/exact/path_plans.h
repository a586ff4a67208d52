/* Plans that make an exact run count paths (--exact=paths): made of the functions that processes
 * run, once for all processes, and what their counters came to.
 *
 * The library is shared memory that every process can read. Counters and functions have numbers
 * that are the same in all processes; when a process has ended, what it counted becomes rows of the
 * profile. */
#pragma once

#include "base/vec.h"
#include "consumers/path_counts.h"
#include "paths/module.h"
#include "wire/channel.h"

#include <stdbool.h>

/* Of the counters of a bank, these are for paths. */
enum { PATH_COUNTERS_MAX = 1 << 21 };

struct banks;
struct exact_process;
struct err;
struct mappings;
struct profile;
struct share;

struct planned_module {
    uint32_t module; /* of the profile */
    uint32_t first_function;
    uint64_t told;             /* its functions, in bytes from the start of the library, */
    uint32_t n_told;           /* one for each range of its symbols */
    bool tables;               /* no counters: paths are counted by number */
    struct planned_code *code; /* what plans are made of (plan_maker.h); NULL: nothing */
    struct path_module made;   /* so far */
};

struct path_plans {
    unsigned char *library;
    uint64_t library_used; /* bytes */
    uint32_t counters;     /* used so far, from 1 on */
    uint32_t functions;
    bool paths;            /* they are counted */
    bool contexts;         /* functions have calling contexts */
    enum path_ticks ticks; /* of paths, too */
    bool covered;          /* what paths tell is not counted besides */
    struct planned_modules {
        VEC(struct planned_module);
    } modules;
    struct path_counts counts; /* what paths tell of covered code */
    uint64_t wrong;            /* times that a number was counted which is no path's */
    uint64_t begun;            /* times that the beginning of a path was not seen */
    uint64_t unplanned;        /* modules for which there was no room */
    uint64_t make_ns;          /* all of it took */
};

bool path_plans_open(struct path_plans *plans, const struct share *share, struct err *err);
void path_plans_release(struct path_plans *plans);

/* A mapping at `start`: its functions go to the channel. The process waits meanwhile. */
void path_plans_map(struct path_plans *plans, struct channel *channel, struct mappings *mappings,
                    const struct wire_map *map);

/* Makes the plans of functions that a process asks for; returns how many. */
uint32_t path_plans_serve(struct path_plans *plans, struct channel *channel);

/* A function, by its number in plans, has gone a path so many times. */
void path_plans_add(struct path_plans *plans, struct profile *profile,
                    const struct mappings *mappings, uint32_t function, uint64_t path,
                    uint64_t count);
/* A process has ended: what else it counted is added to the profile. */
void path_plans_take(struct path_plans *plans, const struct exact_process *process);
