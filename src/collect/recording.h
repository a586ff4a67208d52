/* One recording from beginning to end: start the program, or attach to processes; read their
 * channels; write the profile.
 *
 * Nothing starts unless the profile can be written. If the program does not start, no file is left.
 * New data is appended every second, so a tool that is killed leaves a readable file. */
#pragma once

#include "process/recording_options.h"
#include "values/payloads.h"
#include "collect/stacks/stack.h"
#include "consumers/trace_check.h"
#include "profile/profile.h"
#include "wire/channel.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

struct err;

/* Samples of the kernel beside the agent's (collect/kernel_part.h). */
struct recording_kernel {
    bool on;                     /* there were some, at least at first */
    uint64_t hz;                 /* samples per CPU second */
    uint64_t samples;            /* of all threads */
    uint64_t in_kernel, bare;    /* kept: in the kernel; in user mode, of threads without agent */
    uint64_t switches;           /* of threads */
    uint32_t threads, processes; /* that it saw; 0: not known */
    uint64_t sample_ns, cost_ns; /* cost of one sample; of all of it, estimated */
    char refused[600];           /* why nothing, or not all, was recorded; or "" */
};

struct recording {
    int exec_errno; /* why the program could not be executed; 0: it could */
    int status;     /* of the program, as waitpid gives it */
    struct totals totals;
    struct recording_kernel kernel;
    uint64_t wall_ns, file_bytes;
    uint64_t ran_ns;       /* elapsed from the start of the program to its end */
    struct rusage usage;   /* of a program that was started, and of all that it waited for */
    uint64_t translate_ns; /* of the agent's time: translating code, once for each piece */
    uint64_t ending_ns;    /* of totals.once_ns: at the end of processes */
    uint64_t ahead_ns;     /* likewise: to read files while the program ran; the rest is start-up */
    uint64_t late_ns;      /* elapsed from the end of the program until its profile was written */
    const char *no_agent;  /* no process had the agent: why, as far as the program shows; or NULL */
    char bare[512];     /* the same for a program that the agent was to be injected into; or "" */
    char left[512];     /* what remained in a process, or what it became; or "" */
    char stranger[160]; /* the program changed its user, and what follows; or "" */
    bool whole;         /* an exact run was counted completely */
    const char *empty;  /* of an exact run: what was asked for and was not found; or NULL */
    uint32_t processes, modules;
    size_t edges, ranges;
    struct channel channel;      /* the first process's header; zero if there was none */
    uint64_t untrue;             /* windows whose stated length is not that of their exits */
    struct trace_verdict trace;  /* of --exact=trace */
    struct payload_sum payloads; /* of --events */
    /* How stacks ended, and guesses on the way (collect/stacks/stack.h). */
    uint64_t stack_ends[STACK_N_ENDS], stack_fallbacks[STACK_N_FALLBACKS];
    char module_error[256]; /* why the module is no longer there; or "" */
    char write_error[512];  /* why the profile could not be written; or "" */
};

/* False: no program was started, and nothing was attached to. */
bool recording_run(const struct recording_options *options, struct recording *ret_recording,
                   struct err *err);
