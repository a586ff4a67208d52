/* The loops of a recording, the ones that ran most first. */
#pragma once

#include "analysis/loops/loop_fold.h"
#include "analysis/loops/loop_stops.h"

struct loop_view {
    struct scene *scene;
    struct window_code code;
    struct loop_fold fold;
    size_t windows, addressed;
    struct loop_view_order {
        VEC(uint32_t);
    } order; /* rows that are wanted */
};

void loop_view_make(struct loop_view *view, struct scene *scene);
void loop_view_release(struct loop_view *view);
