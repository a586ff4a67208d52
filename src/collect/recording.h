/* One recording from beginning to end: start the program, or attach to what runs; drain it, write
 * the profile.
 *
 * Nothing starts unless the profile can be written; nothing is left behind unless the program
 * started. Every second what is new is appended, so that whoever is killed leaves a readable file.
 */
#pragma once

#include "process/selection.h"
#include "values/payloads.h"
#include "collect/stacks/stack.h"
#include "consumers/trace_check.h"
#include "profile/profile.h"
#include "compress/design.h"
#include "wire/channel.h"

#include <stdbool.h>
#include <stddef.h>

struct err;
struct model;
struct replay_audience;

/* The program has ended, and what it recorded is worked off. */
struct recording_rest {
    uint64_t bytes;             /* of traces, that are left */
    uint64_t worked, worked_ns; /* and that were read since, and how long that took */
};

struct recording_options {
    char *const *argv; /* the program, ends with NULL; empty: none is started, */
    const int *pids;   /* but these processes are attached to */
    size_t n_pids;
    uint64_t duration_ns; /* of the recording; 0: to the end */
    const char *command;  /* what was typed, shell-quoted */
    const char *output;
    struct selection *only;  /* what is kept; NULL: everything */
    const char *only_text;   /* the same, as typed */
    struct plans *plans;     /* for an exact run; NULL: none */
    bool paths;              /* an exact run counts paths, */
    bool path_ticks;         /* and the time along them, */
    bool path_ticks_all;     /* of every passage */
    const char *dump_plan;   /* a file for what they counted; NULL: none */
    const char *module;      /* a customisation module; NULL: none */
    const char *dump_events; /* a file for all that windows record besides exits; NULL: none */
    bool loops;              /* traces are looked through for runs of loops */
    bool value_callers;      /* values are told apart by who called */
    const char *dump_stream; /* a file for tuples of a trace; NULL: none */
    const char *compress;    /* the design of a compressor of values; NULL: none */
    struct design design;    /* the same */
    bool trace_paths;        /* for paths, */
    bool trace_contexts;     /* and for calling contexts */
    const struct model
        *core;     /* a trace goes through it, and the profile gets where cycles go; NULL: none */
    bool for_core; /* what exits record besides is for it alone */
    uint32_t
        pairs; /* of its instructions, one in so many begins a pair that is followed; 0: none */
    struct replay_audience *audience; /* of a trace through a model of a core; NULL: nobody */
    void (*rest)(const struct recording_rest *rest); /* told once a second; NULL: nobody is */
    struct record_options record;
};

struct recording {
    int exec_errno; /* the program could not be executed, and why */
    int status;     /* of the program, as waitpid gives it */
    struct totals totals;
    uint64_t wall_ns, file_bytes;
    uint64_t translate_ns; /* of the agent's time: spent once for each piece of code that was met */
    uint64_t ending_ns;    /* of totals.once_ns: reading functions for their paths, at the end; the
                              rest is start-up */
    const char
        *no_agent;      /* if no process had the agent: why, as far as the program tells; or NULL */
    char bare[512];     /* the same, of a program into which the agent was to be put; or "" */
    char left[512];     /* what a process was left with, or became; "" if there is nothing to say */
    char stranger[160]; /* the program became another user's, and what that means; "" if not */
    bool whole;         /* an exact run was counted from end to end */
    const char *empty;  /* what an exact run was asked for and has none of; or NULL */
    uint32_t processes, modules;
    size_t edges, ranges;
    struct channel channel;      /* the first process's last words; all zero if there was none */
    uint64_t untrue;             /* windows whose stated length is not that of their exits */
    struct trace_verdict trace;  /* of --exact=trace */
    struct payload_sum payloads; /* of --events */
    /* Stacks: how they ended, and guesses on the way (collect/stacks/stack.h). */
    uint64_t stack_ends[STACK_N_ENDS], stack_fallbacks[STACK_N_FALLBACKS];
    char module_error[256]; /* what became of the module, if it is no longer there; "" */
    char write_error[512];  /* the profile could not be written, and why; "" if it could */
};

/* False: the program was not started, or nothing was attached to. */
bool recording_run(const struct recording_options *options, struct recording *ret_recording,
                   struct err *err);
