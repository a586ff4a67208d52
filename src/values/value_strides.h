/* Strides between the addresses of a place, in the order in which a window or a passage of a trace
 * has them.
 *
 * Loops have the same stride hundreds of times in a row: those are counted at once. Fetching a
 * place's counts for each of them, which are in no cache, took a third of what all values did. */
#pragma once

#include "values/value_places.h"

/* The last address of a place, and the strides that led there. */
struct value_stride {
    uint64_t window, address;
    uint64_t stride, times; /* times: not counted yet */
    uint32_t counted;       /* times that strides were, in this window */
};

struct value_strides {
    uint64_t window; /* number */
    uint32_t most;   /* of `counted`: where each stride differs, a window has enough; 0: all */
    struct {
        VEC(struct value_stride);
    } at; /* by place of strides */
    struct {
        VEC(uint32_t);
    } met; /* places, in this window */
};

typedef void value_see_times(void *to, uint32_t place, uint64_t value, uint64_t times);

void value_strides_release(struct value_strides *strides);
/* All strides of a window that value_places_admit has admitted. */
void value_strides_read(struct value_strides *strides, struct value_places *places,
                        const struct payload_window *window, value_see_times *see, void *to);
