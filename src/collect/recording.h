/* One recording from beginning to end: start the program, or attach to what runs; drain it, write
 * the profile.
 *
 * Nothing starts unless the profile can be written; nothing is left behind unless the program
 * started. Every second what is new is appended, so that whoever is killed leaves a readable file.
 */
#pragma once

#include "process/recording_options.h"
#include "values/payloads.h"
#include "collect/stacks/stack.h"
#include "consumers/trace_check.h"
#include "profile/profile.h"
#include "wire/channel.h"

#include <stdbool.h>
#include <stddef.h>

struct err;

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
