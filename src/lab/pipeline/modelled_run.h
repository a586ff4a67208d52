/* A command's exact run through the model of a core, one instruction after the other, to units
 * that watch it.
 *
 * It is run under a trace with addresses and values. Only the thread that begins first is watched.
 * When enough of it was seen the command is killed; what it prints goes nowhere. */
#pragma once

#include "model/pmu/step.h"

struct err;
struct replay;

enum { MODELLED_STEPS = 20000000 }; /* seconds, and enough for the hot part of a program */

struct modelled_run {
    const char *core;    /* its name, or a file */
    uint64_t steps_most; /* instructions that retire */
    char *const *command;
};

struct modelled_watch {
    void (*begin)(void *context, struct replay *replay); /* may be NULL */
    void (*see)(void *context, const struct pmu_step *step);
    void (*gap)(void *context); /* something ran in between that was not seen; may be NULL */
    void (*end)(void *context, struct replay *replay); /* may be NULL */
    void *context;
};

bool modelled_run_watch(const struct modelled_run *run, const struct modelled_watch *watch,
                        struct err *err);
