#include "analysis/pipeline/core_choice.h"

#include "model/core/cpu.h"
#include "profile/profile.h"

#include <stdio.h>
#include <string.h>

/* A profile of before processors were written down, or one that another tool took, gets what was
 * the usual then. */
static const char *const unknown_core = "zen3";

static size_t facts_of(const struct profile *profile, const char *key)
{
    size_t n = 0;
    for (size_t i = 0; i < profile->facts.n; i++)
        n += strcmp(profile->facts.at[i].key, key) == 0;
    return n;
}

static const char *of_cpu(const struct cpu *cpu, const char *who, char *ret_why)
{
    enum cpu_nearness nearness;
    char why[CORE_WHY_BYTES - 64];
    cpu_why(cpu, why, sizeof why);
    snprintf(ret_why, CORE_WHY_BYTES, "%s, %s", why, who);
    return cpu_core(cpu, &nearness);
}

const char *core_choose(const struct profile *profile, const char *asked,
                        char ret_why[CORE_WHY_BYTES])
{
    struct cpu known;
    const char *recorded = profile_fact_find(profile, "core");
    const char *told = profile_fact_find(profile, "cpu");
    *ret_why = 0;
    if (asked && strcmp(asked, "native") == 0) {
        cpu_here(&known);
        return of_cpu(&known, "this machine", ret_why);
    }
    if (asked)
        return asked;
    if (recorded) {
        snprintf(ret_why, CORE_WHY_BYTES, "%s, which the trace went through", recorded);
        return recorded;
    }
    if (told && cpu_parse(told, &known))
        return of_cpu(
            &known, facts_of(profile, "cpu") > 1 ? "one of those that recorded" : "which recorded",
            ret_why);
    snprintf(ret_why, CORE_WHY_BYTES,
             "%s (an approximation: the profile does not tell which processor recorded)",
             unknown_core);
    return unknown_core;
}
