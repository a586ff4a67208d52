#include "lab/paths/history.h"

#include "base/err.h"
#include "collect/target/launch.h"
#include "model/pmu/step.h"
#include "model/replay/replay.h"
#include "paths/trail_build.h"

#include <string.h>

/* Places asked about: between half of them and all, as the run's length is not known before. */
enum { MOMENTS_MOST = 2000, EVERY_FIRST = 64 };

/* ---- the run */

static void moment_keep(struct history *history)
{
    uint64_t n = history->n_ring < HISTORY_REACH ? history->n_ring : HISTORY_REACH;
    struct history_moment *moment = vec_push(&history->moments);
    *moment = (struct history_moment){mem_alloc(n * sizeof *moment->steps), n};
    for (uint64_t i = 0; i < n; i++)
        moment->steps[i] = history->ring[(history->n_ring - n + i) % HISTORY_REACH];
}

/* As many again have room if every second one goes. */
static void moments_thin(struct history *history)
{
    size_t kept = 0;
    for (size_t i = 0; i < history->moments.n; i++)
        if (i % 2)
            mem_free(history->moments.at[i].steps);
        else
            history->moments.at[kept++] = history->moments.at[i];
    history->moments.n = kept;
    history->every *= 2;
}

static void moment_meet(struct history *history)
{
    if (history->own++ < history->due)
        return;
    moment_keep(history);
    if (history->moments.n == MOMENTS_MOST)
        moments_thin(history);
    history->due =
        history->own + history->every / 2 + random_below(&history->random, history->every);
}

static void step_count(struct history *history, struct svma from, struct svma to)
{
    uint64_t key[2] = {from.v, to.v};
    uint32_t index = map_add(&history->keys, key);
    if (index == history->seen.n)
        *vec_push(&history->seen) = (struct trail_seen){from, to, 0};
    history->seen.at[index].count++;
}

/* The module of the executable, by the file: its number is known when it is first met. */
static bool is_own(struct history *history, uint32_t module)
{
    if (history->module == UINT32_MAX) {
        const struct code_source *source = &history->replay->code->source;
        const struct image *image = source->image(source->context, module);
        if (image && image->build_id_bytes == history->image.build_id_bytes &&
            image->file.n_bytes == history->image.file.n_bytes &&
            memcmp(image->build_id, history->image.build_id, image->build_id_bytes) == 0)
            history->module = module;
    }
    return module == history->module;
}

static void step_see(void *context, const struct pmu_step *step)
{
    struct history *history = context;
    uint32_t module;
    struct svma at;
    if (step->aborted)
        return;
    history->taken++;
    replay_place(step->fact->at.v, &module, &at);
    if (!is_own(history, module))
        at.v = 0;
    struct svma last = {0};
    if (history->n_ring)
        last = history->ring[(history->n_ring - 1) % HISTORY_REACH];
    /* A repeated instruction stands still; so does everything elsewhere. */
    if (history->n_ring && last.v == at.v)
        return;
    history->ring[history->n_ring++ % HISTORY_REACH] = at;
    if (!at.v)
        return;
    step_count(history, last, at);
    moment_meet(history);
}

/* What ran meanwhile is not known: elsewhere. */
static void gap_see(void *context)
{
    struct history *history = context;
    if (history->n_ring && history->ring[(history->n_ring - 1) % HISTORY_REACH].v)
        history->ring[history->n_ring++ % HISTORY_REACH] = (struct svma){0};
}

static void run_begin(void *context, struct replay *replay)
{
    ((struct history *)context)->replay = replay;
}

bool history_take(struct history *history, const struct modelled_run *run, struct err *err)
{
    char path[PATH_MAX];
    int why;
    *history = (struct history){.module = UINT32_MAX, .every = EVERY_FIRST, .random = {1}};
    if (!launch_find_program(run->command[0], path, &why, err) ||
        !image_open(&history->image, path, err))
        return false;
    map_init(&history->keys, 2 * sizeof(uint64_t));
    history->ring = mem_alloc(HISTORY_REACH * sizeof *history->ring);
    struct modelled_watch watch = {
        .begin = run_begin, .see = step_see, .gap = gap_see, .context = history};
    bool good = modelled_run_watch(run, &watch, err);
    if (good && !history->moments.n)
        good = err_set(err, ERR_MISSING,
                       "%s: none of its own code ran in %llu instructions; --steps goes further",
                       path, (unsigned long long)history->taken);
    symbols_build(&history->symbols, &history->image);
    if (good)
        trail_build(&history->graph, &history->image, &history->symbols, history->seen.at,
                    history->seen.n);
    if (!good)
        history_release(history);
    return good;
}

void history_release(struct history *history)
{
    for (size_t i = 0; i < history->moments.n; i++)
        mem_free(history->moments.at[i].steps);
    vec_release(&history->moments);
    mem_free(history->ring);
    map_release(&history->keys);
    vec_release(&history->seen);
    trail_graph_release(&history->graph);
    symbols_release(&history->symbols);
    image_close(&history->image);
}

/* ---- what its branches tell */

static void moment_ask(const struct history_moment *moment, const struct trail_course *course,
                       const struct history_question *question, struct random *random,
                       struct trail_scores *scores)
{
    size_t back = question->least + random_below(random, question->most - question->least + 1);
    /* What ran elsewhere has no place in the code that is asked about. */
    while (back > 1 && (back >= moment->n || !moment->steps[moment->n - 1 - back].v))
        back--;
    if (back < moment->n && moment->steps[moment->n - 1 - back].v)
        trail_course_ask(course, question->bits, question->across, back, scores);
}

void history_score(const struct history *history, const struct history_question *questions,
                   size_t n, struct trail_scores *ret_scores)
{
    struct random random = {1};
    for (size_t i = 0; i < n; i++)
        ret_scores[i] = (struct trail_scores){0};
    for (size_t m = 0; m < history->moments.n; m++) {
        const struct history_moment *moment = &history->moments.at[m];
        struct trail_course course;
        trail_course_make(&course, &history->graph, &history->image, &history->symbols,
                          moment->steps, moment->n);
        bool known = trail_course_known(&course);
        for (size_t i = 0; i < n && known; i++)
            moment_ask(moment, &course, &questions[i], &random, &ret_scores[i]);
        trail_course_release(&course);
    }
}
