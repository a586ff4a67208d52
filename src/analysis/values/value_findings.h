/* What to do about places whose values are nearly always the same, and what that saves at most.
 *
 * A finding needs a value with at least nine tenths of its place at the lower end of its interval.
 * Its saving is the extra cost of the general code over the special code, times how often the
 * value occurred, in cycles per thousand instructions of the whole program. The costs are typical
 * of present cores, so the saving is an estimate of an upper bound. */
#pragma once

#include "analysis/values/values.h"

enum value_finding {
    FINDING_NONE,
    FINDING_DIVISOR,  /* division by a nearly constant divisor */
    FINDING_SIZE,     /* copies of one size */
    FINDING_TARGET,   /* indirect calls with one target */
    FINDING_LOAD,     /* loads of one value */
    FINDING_STRIDE,   /* addresses that go on by the same step */
    FINDING_ARGUMENT, /* a function that is called with one value */
    FINDING_RETURN,   /* that returns one */
    FINDING_THREAD,   /* code that one thread runs, */
    FINDING_LOCK,     /* that runs under one lock */
    FINDINGS
};

/* "constant-divisor" and so on. */
const char *value_finding_name(enum value_finding finding);
/* A sentence. */
const char *value_finding_text(enum value_finding finding);
enum value_finding value_finding_of(const struct places_values *places,
                                    const struct value_place *place);
/* Cycles that knowing its value saves each time. */
double value_use_cycles(enum value_use use);
