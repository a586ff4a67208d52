#include "analysis/pipeline/window_course.h"

#include "base/phase.h"

enum { GAP_WARMING = 128 };

static const struct image *image_of(void *context, uint32_t module)
{
    return scene_image(context, 0, module);
}

void window_course_code(struct core_code *code, struct scene *scene, const struct model *model)
{
    code_init(code, model, (struct code_source){image_of, scene});
}

void window_course_open(struct window_course *course, struct scene *scene,
                        const struct model *model, struct core_code *code)
{
    phase_set("modelling windows on", model->name);
    course->windows = &scene->sides[0]->windows;
    window_course_code(&course->own, scene, model);
    course->code = code ? code : &course->own;
    replay_init(&course->replay, course->code);
    map_init(&course->runs, sizeof(uint64_t[4]));
    residence_make(&course->residence, course->windows, model);
    course->addresses = course->unread = course->broken = 0;
    course->gone = course->most = 0;
    course->pending.n = 0;
    course->ready = NULL;
    course->firsts = (struct window_firsts){0};
}

void window_course_close(struct window_course *course)
{
    residence_release(&course->residence);
    replay_release(&course->replay);
    code_release(&course->own);
    map_release(&course->runs);
    vec_release(&course->firsts);
}

static uint32_t run_first(struct window_course *course, const struct window_run *run)
{
    /* A hostile file may have two runs that differ in their instructions alone. */
    uint64_t key[] = {run->module, run->at, run->bytes, run->instructions};
    uint32_t index = map_add(&course->runs, key);
    if (index == course->firsts.n)
        *vec_push(&course->firsts) = code_run(course->code, run->module, (struct svma){run->at},
                                              run->bytes, run->instructions);
    return course->firsts.at[index];
}

static void pending_run(struct window_course *course, uint64_t next)
{
    if (course->pending.n)
        replay_run(&course->replay, course->pending.first, course->pending.n, next,
                   course->pending.data);
    course->pending.n = 0;
}

static void run_take(struct window_course *course, const struct window_run *run)
{
    uint32_t first = run_first(course, run);
    pending_run(course, replay_at(run->module, (struct svma){run->at}));
    if (first == REPLAY_NONE) {
        course->unread += run->instructions;
        replay_gap(&course->replay, course->replay.warming + GAP_WARMING);
        return;
    }
    course->pending.first = first;
    course->pending.n = run->instructions;
    memset(course->pending.data, 0, run->instructions * sizeof *course->pending.data);
    for (uint32_t i = 0; i < course->reader.n; i++)
        course->pending.data[course->reader.instructions[i]].address = course->reader.addresses[i];
    course->addresses += course->reader.n;
}

/* The next run; false: there is none, or no more are wanted. */
static bool run_next(struct window_course *course, uint64_t *instructions,
                     const struct window_run **ret_run)
{
    if (course->most && *instructions >= course->most)
        return false;
    if (!window_read(&course->reader, ret_run))
        return false;
    *instructions += (*ret_run)->instructions;
    return true;
}

static void go(struct window_course *course, size_t index, uint64_t warming)
{
    const struct window_run *run;
    uint64_t instructions = 0;
    replay_gap(&course->replay, warming);
    residence_place(&course->residence, course->windows, index, course->replay.core);
    if (course->ready)
        course->ready(course->of, course->replay.core);
    window_open(&course->reader, course->windows, index);
    while (run_next(course, &instructions, &run))
        run_take(course, run);
    pending_run(course, 0);
}

/* The first quarter: what the code there needs of caches is there afterwards. */
static uint64_t warming_of(struct window_course *course, size_t index)
{
    const struct window_run *run;
    uint64_t instructions = 0;
    window_open(&course->reader, course->windows, index);
    while (run_next(course, &instructions, &run))
        continue;
    return instructions / WINDOW_WARMING;
}

void window_course_go(struct window_course *course, size_t index)
{
    go(course, index, warming_of(course, index));
    course->broken += course->reader.broken;
    phase_parts(++course->gone, course->windows->n);
}

void window_course_train(struct window_course *course, size_t index)
{
    uint64_t unread = course->unread;
    go(course, index, UINT64_MAX / 2);
    course->unread = unread; /* counted when it counts */
}
