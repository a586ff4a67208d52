#include "program/cfg/jumps.h"

const char *cfg_reason_name(enum cfg_reason reason)
{
    static const char *const names[] = {
        [REASON_NONE] = "none",           [REASON_POINTER] = "pointer",
        [REASON_SLOT] = "slot",           [REASON_UNTRACKED] = "untracked",
        [REASON_UNBOUNDED] = "unbounded", [REASON_WRITABLE] = "writable",
        [REASON_ENTRY] = "entry",         [REASON_UNREACHED] = "unreached",
        [REASON_EFFORT] = "effort"};
    return names[reason];
}

void jumps_release(struct jumps *jumps)
{
    vec_release(jumps);
    vec_release(&jumps->targets);
}
