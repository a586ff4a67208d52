/* The answer to one question about a profile, computed in a child process.
 *
 * The child runs the code of a command, which may take long, fail, or crash on a profile that
 * somebody made for that: none of it reaches the process that asked. The child writes the answer to
 * its standard output and what went wrong to its standard error, as commands do. */
#pragma once

#include "base/bytes.h"

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* What is asked for: a route, and parameters that were checked to hold no NUL. */
struct question {
    const char *route;
    struct question_param {
        const char *name, *value;
    } * params;
    size_t params_n;
};
enum { QUESTION_PARAMS_MOST = 32 };

/* Runs in the child: writes to stdout and stderr, returns an exit status. */
typedef int answer_function(void *data, const struct question *question);

struct answer_limits {
    uint64_t ns;
    size_t bytes;  /* of the answer */
    size_t memory; /* that the child may use beyond what the process has; 0: any */
};
/* A minute, 256 MiB, and a quarter of the machine's memory, at least 1 GiB. */
struct answer_limits answer_limits_usual(void);

struct answer {
    pid_t child;     /* 0: not started, or ended */
    int fds[2];      /* the read ends of its stdout and stderr; -1: at the end */
    uint64_t end_ns; /* when it is stopped (CLOCK_MONOTONIC) */
    struct answer_limits limits;
    struct bytes text, complaint;
    enum answer_state { ANSWER_NONE, ANSWER_RUNS, ANSWER_GOOD, ANSWER_FAILED } state;
    bool bad_question; /* failed: the question is to blame */
};

bool answer_start(struct answer *answer, answer_function *make, void *data,
                  const struct question *question, struct answer_limits limits);
/* Takes what the child has written; call when a descriptor is readable or time has passed. */
void answer_poll(struct answer *answer);
/* Waits for it. */
void answer_wait(struct answer *answer);
/* What went wrong, as one sentence; ends with NUL. */
const char *answer_complaint(struct answer *answer);
/* {"error": "the sentence"}: what a page gets instead of an answer. */
void error_json(FILE *to, const char *sentence);
/* Stops a child that runs. The answer may be one that was never started, all zeros. */
void answer_release(struct answer *answer);
