/* One plain recording from beginning to end, without an agent: the kernel takes samples. The tool
 * unwinds stacks as they come in, and keeps only their sums.
 *
 * It starts a program, or follows running processes, or all CPUs. Nothing starts unless the profile
 * can be written. If recording does not begin, no file is left. New data is appended every second.
 */
#pragma once

#include "collect/stacks/stack.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct err;

struct plain_progress {
    uint64_t elapsed_ns, samples, lost, file_bytes;
};

/* What a listener gets besides what is new. */
struct plain_news {
    uint64_t from_ns, to_ns; /* CLOCK_MONOTONIC */
    uint64_t tool_ns;        /* CPU time of gait in it */
    bool last;               /* nothing follows: the program, or what was followed, has ended */
};

/* Gets what is recorded while it is recorded, in place of a file. */
struct plain_listener {
    uint64_t every_ns;
    const int *fds; /* to be watched for input */
    size_t n_fds;
    /* Both return false to end the recording. `news` holds what came since the last call: only its
     * modules are kept. Of the kernel it has no names. */
    bool (*take)(void *closure, const struct profile *news, const struct plain_news *about);
    bool (*wake)(void *closure); /* something happened, perhaps input */
    void *closure;
};

struct plain_options {
    char *const *argv;   /* the program, ends with NULL; empty: none */
    const char *command; /* as typed, shell-quoted */
    const char *output;  /* NULL: the listener gets all of it */
    const struct plain_listener *listener;
    const int *stdio;  /* the program's descriptors 0 to 2; NULL: gait's own */
    bool no_waits;     /* where threads wait is not wanted */
    const char *event; /* one, or a list as in struct perf_wish; NULL: CPU time */
    uint32_t hz;
    const int *pids; /* to follow */
    size_t n_pids;
    bool all_cpus;
    uint64_t delay_ns;    /* before the first sample */
    uint64_t duration_ns; /* of sampling; 0: to the end */
    uint64_t seed;
    struct keep_wish keep;                                   /* of the files of modules */
    void (*progress)(const struct plain_progress *progress); /* about every second; may be NULL */
};

struct plain_recording {
    int exec_errno; /* why the program could not be executed; 0: it could */
    bool left;      /* the program goes on after a listener ended the recording */
    pid_t pid;      /* of the program */
    bool denied;    /* the kernel grants no samples at all: nothing was recorded, err says why */
    int status;     /* of the program, as of waitpid */
    struct rusage usage; /* of a program that was started and has ended; else zero */
    struct totals totals;
    uint64_t wall_ns, file_bytes;
    uint64_t startup_ns; /* of totals.tool_ns: before recording began */
    uint64_t sampled_ns; /* of it: during sampling; the rest is for names and the file */
    uint64_t close_ns;   /* CPU time of all threads after these totals: names and code of files */
    size_t left_out;     /* modules whose names are not kept: there was no time */
    char event[128];
    struct plain_other {
        char event[128];
        uint64_t samples;
    } others[15]; /* events beside the first */
    uint32_t n_others;
    uint32_t hz;
    bool clock, kernel;
    uint64_t user_weight, kernel_weight, in_kernel; /* of samples */
    uint64_t ends[STACK_N_ENDS], fallbacks[STACK_N_FALLBACKS];
    uint32_t processes, threads, modules;
    size_t nodes;
    size_t ring_bytes, ring_wanted; /* less than wanted: the limit on locked memory */
    uint32_t stack_bytes;           /* copied with each sample, at most */
    char refused[256];              /* as in struct perf_request */
    char write_error[512];          /* why the profile could not be written; or "" */
};

/* False: nothing was recorded. */
bool plain_run(const struct plain_options *options, struct plain_recording *ret_plain,
               struct err *err);
