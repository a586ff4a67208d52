#include "analysis/values/value_findings.h"

#include <math.h>

static const double SURE = 0.9, CALLS_LEAST = 16;

const char *value_finding_name(enum value_finding finding)
{
    static const char *const names[FINDINGS] = {[FINDING_NONE] = "none",
                                                [FINDING_DIVISOR] = "constant-divisor",
                                                [FINDING_SIZE] = "one-size",
                                                [FINDING_TARGET] = "one-target",
                                                [FINDING_LOAD] = "one-value",
                                                [FINDING_STRIDE] = "one-stride",
                                                [FINDING_ARGUMENT] = "one-argument",
                                                [FINDING_RETURN] = "one-result",
                                                [FINDING_THREAD] = "one-thread",
                                                [FINDING_LOCK] = "one-lock"};
    return names[finding];
}

const char *value_finding_text(enum value_finding finding)
{
    static const char *const texts[FINDINGS] = {
        [FINDING_DIVISOR] =
            "divides by nearly always the same: test for it, and divide by a constant",
        [FINDING_SIZE] = "nearly always of one size: a copy of a constant size needs no loop",
        [FINDING_TARGET] = "calls nearly always the same: test for it, and call it directly",
        [FINDING_LOAD] =
            "loads nearly always the same: keep it in a register, or specialise for it",
        [FINDING_STRIDE] =
            "goes on by nearly always the same step: it can be prefetched, or vectorised",
        [FINDING_ARGUMENT] = "called nearly always with the same: test for it, and call a copy of "
                             "the function that has it as a constant",
        [FINDING_RETURN] = "returns nearly always the same: let callers expect it "
                           "(__builtin_expect), or test before the call",
        [FINDING_THREAD] = "runs nearly always in the same thread",
        [FINDING_LOCK] = "runs nearly always with the same lock held"};
    return texts[finding];
}

double value_use_cycles(enum value_use use)
{
    static const double cycles[VALUE_USES] = {
        [VALUE_DIVISOR] = 12,   [VALUE_SIZE] = 20,      [VALUE_TARGET] = 3,
        [VALUE_LOAD] = 4,       [VALUE_OPERAND] = 1,    [VALUE_RESULT] = 1,
        [VALUE_ADDRESS] = 0.25, [VALUE_STRIDES] = 0.25, [VALUE_CUSTOM] = 0};
    return cycles[use];
}

enum value_finding value_finding_of(const struct places_values *places,
                                    const struct value_place *place)
{
    static const enum value_finding of_use[VALUE_USES] = {
        [VALUE_DIVISOR] = FINDING_DIVISOR,   [VALUE_SIZE] = FINDING_SIZE,
        [VALUE_TARGET] = FINDING_TARGET,     [VALUE_LOAD] = FINDING_LOAD,
        [VALUE_ARGUMENT] = FINDING_ARGUMENT, [VALUE_RETURN] = FINDING_RETURN,
        [VALUE_STRIDES] = FINDING_STRIDE,    [VALUE_THREAD] = FINDING_THREAD,
        [VALUE_LOCK] = FINDING_LOCK};
    if (!place->n || place->constant)
        return FINDING_NONE;
    if (place->use == VALUE_LOCK && !places->values.at[place->first].value)
        return FINDING_NONE; /* no lock */
    if (place->use == VALUE_STRIDES && !places->values.at[place->first].value)
        return FINDING_NONE; /* always the same place: there is nothing to fetch before */
    bool call = place->use == VALUE_ARGUMENT || place->use == VALUE_RETURN;
    if (call && place->total < CALLS_LEAST)
        return FINDING_NONE;
    struct estimate share = places->values.at[place->first].share;
    /* Without an interval, the share itself. */
    bool sure = share.value >= SURE && (isnan(share.lo) || share.lo >= SURE * SURE);
    return sure ? of_use[place->use] : FINDING_NONE;
}
