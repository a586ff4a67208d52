#include "analysis/windows/window_cycles.h"

#include "analysis/pipeline/window_course.h"

struct hearing {
    struct replay_listener listener;
    struct window_times times;
    uint64_t first; /* retirement of the first instruction */
};

static void hear(struct replay_listener *listener, const struct replay_step *step)
{
    struct hearing *hearing = (struct hearing *)listener;
    if (step->aborted)
        return;
    if (!hearing->times.n)
        hearing->first = step->times->retire;
    *vec_push(&hearing->times) =
        (struct window_time){step->fact->at.v, step->times->retire - hearing->first};
    hearing->times.warming += step->warming;
}

/* Residence is for windows in their order, so the earlier ones of the half come first. */
static void half_go(struct scene *scene, const struct model *model, size_t half, size_t wanted,
                    window_times_take *take, void *to)
{
    struct hearing hearing = {.listener = {hear, NULL}};
    struct window_course *course = mem_alloc(sizeof *course);
    window_course_open(course, scene, model, NULL);
    for (size_t i = !half; i < course->windows->n; i += 2)
        window_course_train(course, i);
    replay_listen(&course->replay, &hearing.listener);
    for (size_t i = half; i < course->windows->n && (wanted == WINDOW_ALL || i <= wanted); i += 2) {
        hearing.times.n = 0;
        hearing.times.warming = 0;
        window_course_go(course, i);
        if (wanted == WINDOW_ALL || i == wanted)
            take(to, i, &hearing.times);
    }
    vec_release(&hearing.times);
    window_course_close(course);
    mem_free(course);
}

void window_cycles_make(struct scene *scene, const struct model *model, size_t wanted,
                        window_times_take *take, void *to)
{
    for (size_t half = 0; half < 2; half++)
        if (wanted == WINDOW_ALL || wanted % 2 == half)
            half_go(scene, model, half, wanted, take, to);
}
