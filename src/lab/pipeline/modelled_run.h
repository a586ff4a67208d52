/* Runs a command through the model of a core, instruction by instruction, for units that watch it.
 *
 * The command runs under a trace with addresses and values. Only its first thread is watched. It is
 * killed after enough instructions; its output is discarded. */
#pragma once

#include "model/pmu/step.h"

struct err;
struct replay;

enum { MODELLED_STEPS = 20000000 }; /* takes seconds, and reaches the hot part of a program */

struct modelled_run {
    const char *core;    /* its name, or a file */
    uint64_t steps_most; /* instructions that retire */
    char *const *command;
};

struct modelled_watch {
    void (*begin)(void *context, struct replay *replay); /* may be NULL */
    void (*see)(void *context, const struct pmu_step *step);
    void (*gap)(void *context);                        /* unseen code ran in between; may be NULL */
    void (*end)(void *context, struct replay *replay); /* may be NULL */
    void *context;
};

bool modelled_run_watch(const struct modelled_run *run, const struct modelled_watch *watch,
                        struct err *err);
