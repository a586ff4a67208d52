/* Tries a thing in a process of its own, and tells what came of it.
 *
 * Whether a system call is allowed is known only when it was made: a seccomp filter may answer with
 * an error, or kill. In a child both are answers. The child shares nothing that matters: no output,
 * no signal dispositions. It has a few seconds. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum attempt_result {
    ATTEMPT_WORKS,
    ATTEMPT_REFUSED, /* the system said no: outcome.why is its errno */
    ATTEMPT_KILLED,  /* by a signal, outcome.why: seccomp sends SIGSYS */
    ATTEMPT_MUTE,    /* granted, but nothing came of it */
    ATTEMPT_UNTRIED, /* not even a process could be had, or it did not end in time */
};

struct attempt_outcome {
    enum attempt_result result;
    int why;
    uint64_t value; /* what the attempt measured or read */
};

/* Runs in the child; returns 0, or the errno that it met, or ATTEMPT_SILENT. */
typedef int attempt_fn(uint64_t *ret_value, const void *with);
enum { ATTEMPT_SILENT = -1 };

struct attempt_outcome attempt_run(attempt_fn *attempt, const void *with);
