#include "cmd/options/kept_windows.h"

#include "profile/profile.h"

bool kept_windows_has(const struct profile *profile)
{
    return profile->windows.n > 0;
}

const char *kept_windows_why(const struct profile *profile)
{
    if (profile_fact_find(profile, "compress"))
        return "no windows in it: --compress keeps what is frequent, not the order in which it "
               "ran; record without --compress";
    return profile->mode == PROFILE_SAMPLED
               ? "no complete windows in it; record a longer run"
               : "no windows in it: record without --exact and --plain";
}
