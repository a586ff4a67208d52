/* Tries something in a child process, and reports the result.
 *
 * Whether a system call is allowed is only known by making it: a seccomp filter may answer with an
 * error, or kill. In a child both are results. The child shares no output and no signal
 * dispositions. It has a few seconds. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum attempt_result {
    ATTEMPT_WORKS,
    ATTEMPT_REFUSED, /* refused by the system: `why` is the errno */
    ATTEMPT_KILLED,  /* by the signal `why`: seccomp sends SIGSYS */
    ATTEMPT_MUTE,    /* granted, but without any effect */
    ATTEMPT_UNTRIED, /* no child process, or it did not end in time */
};

struct attempt_outcome {
    enum attempt_result result;
    int why;
    uint64_t value; /* that the attempt measured or read */
};

/* Runs in the child; returns 0, an errno, or ATTEMPT_SILENT. */
typedef int attempt_fn(uint64_t *ret_value, const void *with);
enum { ATTEMPT_SILENT = -1 };

struct attempt_outcome attempt_run(attempt_fn *attempt, const void *with);
