#include "analysis/pipeline/modelled.h"

#include "model/core/times.h"

#include <stdio.h>

const char *modelled_event_name(uint32_t event)
{
    static const char *const names[ACCOUNT_EVENTS] = {
        "l1_miss",      "l2_miss",       "l3_miss",    "dtlb_miss",  "l1i_miss",
        "itlb_miss",    "op_cache_miss", "mispredict", "new_target", "forwarded",
        "forward_fail", "taken",         "synonym"};
    return event < ACCOUNT_EVENTS ? names[event] : "others";
}

/* Who misses a cache has missed those before it, which says nothing new. Code may miss the second
 * cache, too: then it is not known that it was the data. */
static uint64_t deepest(uint64_t events)
{
    uint64_t implied = 0;
    if (events & CORE_L3_MISS)
        implied |= CORE_L2_MISS;
    if (events & (CORE_L2_MISS | CORE_L3_MISS) && !(events & CORE_L1I_MISS))
        implied |= CORE_L1D_MISS;
    if (events & CORE_L1I_MISS)
        implied |= CORE_OPCACHE_MISS;
    return events & ~implied;
}

const char *modelled_why(uint64_t what, char *text, size_t room)
{
    static const char *const states[ACCOUNT_STATES] = {"retires", "stalls", "flushes", "drained"};
    uint64_t state = what & 0xff, events = deepest(what >> 8);
    if (what == UINT64_MAX || state >= ACCOUNT_STATES) {
        snprintf(text, room, "others");
        return text;
    }
    size_t n = (size_t)snprintf(text, room, "%s", states[state]);
    for (uint32_t i = 0; i < ACCOUNT_EVENTS && n < room; i++)
        if (events >> i & 1)
            n += (size_t)snprintf(text + n, room - n, "+%s", modelled_event_name(i));
    return text;
}
