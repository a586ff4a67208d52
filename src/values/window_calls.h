/* Who called the code of a window: a stack of the return addresses of the window's own calls. So a
 * caller is not known before the first call, and after more returns than calls. */
#pragma once

#include "process/units.h"

enum { WINDOW_CALLS_MOST = 64 };

struct window_calls {
    uint32_t n; /* those that are deeper than WINDOW_CALLS_MOST are counted, and forgotten */
    struct place returns[WINDOW_CALLS_MOST];
};

/* Where the function returns to; MODULE_NONE: not known. */
static inline struct place window_calls_caller(const struct window_calls *calls)
{
    bool known = calls->n && calls->n <= WINDOW_CALLS_MOST;
    return known ? calls->returns[calls->n - 1] : (struct place){MODULE_NONE, {0}};
}

/* The segment was executed to its end. */
static inline void window_calls_leave(struct window_calls *calls,
                                      const struct unit_segment *segment)
{
    if (segment->end == SEGMENT_CALL || segment->end == SEGMENT_ICALL) {
        if (calls->n < WINDOW_CALLS_MOST)
            calls->returns[calls->n] = segment_next(segment);
        calls->n++;
    } else if (segment->end == SEGMENT_RETURN && calls->n) {
        calls->n--;
    }
}
