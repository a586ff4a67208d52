/* The options of a recording: one struct, filled in by `gait record`, passed to all parts and
 * copied by none. To add an option: CONTRIBUTING.md, "How to add". */
#pragma once

#include "profile/kept.h"
#include "wire/channel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct design;
struct model;
struct plans;
struct replay_audience;
struct selection;

/* Progress after the program has ended: the tool still reads what it recorded. */
struct recording_rest {
    uint64_t bytes;             /* of traces, not read yet */
    uint64_t worked, worked_ns; /* bytes read since the program ended, and how long that took */
};

struct recording_options {
    char *const *argv; /* the program, ends with NULL; empty: attach to `pids` */
    const int *pids;
    size_t n_pids;
    bool any_pids;        /* some may be gone, or refuse */
    uint64_t duration_ns; /* 0: to the end of the program */
    const char *command;  /* as typed, shell-quoted */
    const char *output;
    void (*rest)(const struct recording_rest *rest); /* called once a second; NULL: nobody */
    bool verbose;                                    /* how much the profile holds is to be told */

    bool no_kernel; /* samples of the agent alone */

    /* What is kept. */
    struct keep_wish keep;  /* of the files of modules */
    struct selection *only; /* NULL: everything */
    const char *only_text;  /* --only as typed */
    bool value_callers;     /* values apart for each caller */
    const char *compress;   /* a compressor of values, as typed; NULL: none */
    const struct design *design;
    uint32_t hotlist;        /* enum hotlist_kind + 1: keeps the values of each place; 0: none */
    const char *module;      /* file of a customisation module; NULL: none */
    const char *dump_events; /* file for all events of windows; NULL: none */

    /* Exact runs. */
    struct plans *plans;     /* NULL: none */
    const char *dump_plan;   /* file for the counters of plans; NULL: none */
    bool paths;              /* count paths, */
    bool path_ticks;         /* and their time, */
    bool path_ticks_all;     /* of every passage */
    const char *metric;      /* counted in place of their time; NULL: time */
    bool loops;              /* of traces: runs of loops, */
    bool trace_paths;        /* paths, */
    bool trace_contexts;     /* calling contexts */
    const char *dump_stream; /* file for tuples of a trace; NULL: none */
    uint32_t dump_skip;      /* instructions that come before the first of them */

    /* Traces through a model of a core. */
    const struct model *core;         /* the profile gets its account of cycles; NULL: none */
    bool for_core;                    /* exits record addresses for the model alone */
    uint32_t pairs;                   /* one in so many instructions begins a pair; 0: none */
    uint32_t tags;                    /* that can be in flight; 0: as many as are needed */
    uint32_t buffer;                  /* pairs an interrupt; 0: PAIRS_BUFFER */
    uint32_t counters;                /* events between two samples of its counters; 0: none */
    uint64_t steps;                   /* instructions after which the program is killed; 0: never */
    struct replay_audience *audience; /* listens in place of the account; NULL: nobody */

    struct record_options record; /* what the agent must know */
};
