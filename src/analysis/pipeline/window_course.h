/* Runs the windows of a profile through a core model, one after the other.
 *
 * The core keeps its branch predictors from one window to the next. Lines of data are put where
 * they were when the window began (analysis/pipeline/residence.h). The first part of each window
 * only warms up: queues are empty, and code caches hold what the window before needed. */
#pragma once

#include "base/map.h"
#include "profile/windows.h"
#include "model/replay/replay.h"
#include "analysis/pipeline/residence.h"
#include "analysis/counts/scene.h"

enum { WINDOW_WARMING = 4 }; /* one part of so many only warms */

/* A run that waits for where it led to. */
struct window_pending {
    uint32_t first, n; /* n 0: none waits */
    struct replay_data data[UINT16_MAX + 1];
};

struct window_course {
    const struct windows *windows;
    struct core_code *code, own; /* code: own, or that of others */
    struct replay replay;        /* to listen to */
    struct map runs;             /* of module, address, bytes and instructions */
    struct window_firsts {
        VEC(uint32_t);
    } firsts; /* of their code */
    struct residence residence;
    struct window_reader reader;
    struct window_pending pending;
    /* Called with the core as it is before the first instruction of a window; NULL: nobody asks. */
    void (*ready)(void *of, const struct core *core);
    void *of;
    uint64_t most;      /* instructions of a window, from its first on; 0: all */
    uint64_t addresses; /* that were recorded */
    uint64_t unread;    /* instructions that could not be modelled */
    uint64_t broken;    /* windows that end where they make no sense */
    size_t gone;        /* windows so far */
};

/* Of the scene's first profile. It must not be moved. With `code` of window_course_code, which
 * lives longer, instructions are not made again that others have made; else it is NULL. */
void window_course_open(struct window_course *course, struct scene *scene,
                        const struct model *model, struct core_code *code);
void window_course_code(struct core_code *code, struct scene *scene, const struct model *model);
void window_course_close(struct window_course *course);
void window_course_go(struct window_course *course, size_t index);
/* The same, but all of it only warms: what others learned of the program's code and branches is
 * there when windows are gone that count. */
void window_course_train(struct window_course *course, size_t index);
