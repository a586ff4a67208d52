#include "analysis/pipeline/modelled.h"

#include <stdio.h>

const char *modelled_event_name(uint32_t event)
{
    static const char *const names[ACCOUNT_EVENTS] = {
        "l1_miss",      "l2_miss",       "l3_miss",    "dtlb_miss",  "l1i_miss",
        "itlb_miss",    "op_cache_miss", "mispredict", "new_target", "forwarded",
        "forward_fail", "taken",         "synonym"};
    return event < ACCOUNT_EVENTS ? names[event] : "others";
}

const char *modelled_why(uint64_t what, char *text, size_t room)
{
    static const char *const states[ACCOUNT_STATES] = {"retires", "stalls", "flushes", "drained"};
    uint64_t state = what & 0xff, events = what >> 8;
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
