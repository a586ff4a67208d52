/* What the machine's state means for gait, and what to type to get more.
 *
 * Denied and missing are told apart: what a setting withholds can be had by typing something, what
 * the machine lacks cannot. judge.h has how, findings.c the machine, verdicts.c the recordings. */
#pragma once

#include "base/vec.h"
#include "collect/doctor/machine.h"

enum standing {
    STANDING_INFO,    /* a fact, neither good nor bad */
    STANDING_GOOD,    /* there, in full */
    STANDING_LIMITED, /* there, in part */
    STANDING_DENIED,  /* withheld: by a setting, a filter, a right that is not held */
    STANDING_MISSING, /* this machine or kernel has no such thing */
    STANDING_UNKNOWN, /* could not be found out */
};
const char *standing_name(enum standing standing);
enum standing outcome_standing(struct attempt_outcome outcome);

struct finding {
    const char *name;
    const char *value;   /* what was found */
    const char *meaning; /* for gait; "" if the value says it */
    const char *advice;  /* what to type to get more; "" if nothing helps or is needed */
    enum standing standing;
};

struct findings {
    VEC(struct finding);
    size_t verdicts_at; /* from here on: which kinds of recording work */
    bool records;       /* plain `gait record`, as it stands, in this folder */
};

/* Texts are the arena's. */
void findings_make(struct findings *findings, struct arena *arena, const struct machine *machine);
