/* Plans that make an exact run count paths (--exact=paths): made once for all processes, of the
 * functions that they run; and the resulting counts.
 *
 * The library is shared memory that every process can read. Counters and functions have the same
 * numbers in all processes. When a process has ended, its counts become rows of the profile. */
#pragma once

#include "base/vec.h"
#include "consumers/path_counts.h"
#include "paths/module.h"
#include "wire/channel.h"

#include <stdbool.h>

/* Counters of a bank that are for paths. */
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
    uint64_t told;             /* offset of its functions in the library, */
    uint32_t n_told;           /* one for each range of its symbols */
    bool tables;               /* paths are counted in tables, not in counters */
    unsigned leaving;          /* enum module_leaving */
    struct planned_code *code; /* what plans are made of (plan_maker.h); NULL: not readable */
    struct path_module made;   /* so far */
};

struct path_plans {
    unsigned char *library;
    uint64_t library_used; /* bytes */
    uint32_t counters;     /* used so far, from 1 */
    uint32_t functions;
    bool paths;    /* count paths */
    bool contexts; /* count calling contexts */
    enum path_ticks ticks;
    bool covered;     /* covered code has no other counters */
    unsigned leaving; /* of any module: activations of all may be left for good */
    struct planned_modules {
        VEC(struct planned_module);
    } modules;
    struct path_counts counts; /* of covered code */
    uint64_t wrong;            /* counts of numbers that are no path */
    uint64_t begun;            /* counts of paths whose beginning was not seen */
    uint64_t unplanned;        /* modules without room in the library */
    uint64_t make_ns;          /* time spent */
};

bool path_plans_open(struct path_plans *plans, const struct share *share, struct err *err);
void path_plans_release(struct path_plans *plans);

/* Publishes the functions of a new mapping in the channel. The process waits. */
void path_plans_map(struct path_plans *plans, struct channel *channel, struct mappings *mappings,
                    const struct wire_map *map);

/* Makes the plans that a process asks for; returns how many. */
uint32_t path_plans_serve(struct path_plans *plans, struct channel *channel);

/* Adds so many passages of a path to the profile; `function`: its number in plans. */
void path_plans_add(struct path_plans *plans, struct profile *profile,
                    const struct mappings *mappings, uint32_t function, uint64_t path,
                    uint64_t count);
/* A process has ended: adds its other counts to the profile. */
void path_plans_take(struct path_plans *plans, const struct exact_process *process);
