/* When the instructions of windows retire on a core model.
 *
 * As for gait pipeline: every second window is replayed by a core that has learned from all others,
 * in the profile's order (analysis/pipeline/window_course.h). So the cycles of a window are the
 * same whether one is asked for or all are. */
#pragma once

#include "analysis/counts/scene.h"
#include "base/vec.h"

struct model;

struct window_times {
    VEC(struct window_time {
        uint64_t at;     /* replay_at: which instruction */
        uint64_t retire; /* cycles from when the window's first instruction retires */
    });                  /* in order, without instructions that could not be read */
    uint64_t warming;    /* so many only warm the core up: their cycles are not to be trusted */
};

typedef void window_times_take(void *to, size_t index, const struct window_times *times);

#define WINDOW_ALL SIZE_MAX
/* Calls `take` for the window with that index in the profile, or for each. */
void window_cycles_make(struct scene *scene, const struct model *model, size_t wanted,
                        window_times_take *take, void *to);
