/* What the state of the machine means for gait, and what to type to get more.
 *
 * Denied and missing are distinct: what a setting denies can be had by typing something, what the
 * machine lacks cannot. judge.h makes findings, findings.c judges the machine, verdicts.c the kinds
 * of recording. */
#pragma once

#include "base/vec.h"
#include "collect/doctor/machine.h"

enum standing {
    STANDING_INFO,    /* a fact, neither good nor bad */
    STANDING_GOOD,    /* fully available */
    STANDING_LIMITED, /* partly available */
    STANDING_DENIED,  /* by a setting, a filter, or a missing right */
    STANDING_MISSING, /* this machine or kernel does not have it */
    STANDING_UNKNOWN, /* not known */
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
    size_t verdicts_at; /* index of the verdicts: which kinds of recording work */
    bool records;       /* `gait record` works here as it is */
};

/* Texts live in the arena. */
void findings_make(struct findings *findings, struct arena *arena, const struct machine *machine);
