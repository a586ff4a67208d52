/* Of windows, the first instructions of some are kept as they were gone (profile/windows.h): for
 * those who model them later.
 *
 * All of the first WINDOWS_ALL, then ever fewer, each of which stands for as many more: what a file
 * can hold is bounded by the logarithm of the recording's length. */
#pragma once

#include "base/vec.h"
#include "values/payloads.h"
#include "values/value_pointers.h"
#include "profile/profile.h"

#include <stdint.h>

enum {
    WINDOWS_ALL = 256, /* as many again at half the rate, and so on */
    WINDOW_INSTRUCTIONS = 16384,
};

struct keep_run {
    uint32_t stamp, run; /* its number in the window of that stamp */
};

struct window_keep {
    const struct units *units;
    struct profile *profile;
    uint64_t seen, kept; /* kept: at this rate */
    uint32_t every;
    uint32_t stamp;
    struct keep_runs {
        VEC(struct keep_run);
    } runs; /* by segment */
    struct value_pointers pointers;
    struct window_body body;
};

void window_keep_init(struct window_keep *keep, const struct units *units, struct profile *profile);
void window_keep_release(struct window_keep *keep);

/* weight_ns: what the window stands for. */
void window_keep_take(struct window_keep *keep, const struct payload_window *window, uint64_t tsc,
                      uint64_t weight_ns);
