#include "analysis/pipeline/window_records.h"

#include "model/pmu/profileme.h"
#include "analysis/pipeline/window_course.h"

#include <math.h>
#include <stdlib.h>

enum { HISTORY_BITS = 16 };

struct taking {
    struct replay_listener listener;
    struct sample_list *list;
    struct window_course *course;
    struct profileme *unit;
    const struct window *window;
    uint64_t history, wrong; /* of branches, and as it is on a way that is wrongly gone */
    uint64_t began, cycles;  /* of what was not warming, in this window */
    uint64_t pairs;
};

static void step_hear(struct replay_listener *listener, const struct replay_step *heard)
{
    struct taking *taking = (struct taking *)listener;
    struct core_fact fact = *heard->fact;
    if (!heard->addressed)
        fact.address.v = 0;
    struct pmu_step step = {&heard->insn->core, &fact, heard->times,
                            heard->aborted ? taking->wrong : taking->history, heard->aborted};
    if (heard->warming)
        taking->began = heard->aborted ? taking->began : heard->times->retire;
    else
        profileme_see(taking->unit, &step);
    if (heard->aborted)
        return;
    taking->cycles = heard->times->retire - taking->began;
    taking->history = core_history(taking->course->replay.core);
    taking->wrong = taking->history ^ (heard->insn->core.kind == INSN_COND);
}

static void gap_hear(struct replay_listener *listener)
{
    profileme_gap(((struct taking *)listener)->unit);
}

/* A place of code as a profile has it. */
static void place_settle(struct sample *sample, enum sample_field address, enum sample_field module)
{
    uint32_t number;
    struct svma at;
    if (!sample_knows(sample, address) || !sample->at[address])
        return;
    replay_place(sample->at[address], &number, &at);
    sample_set(sample, address, at.v);
    sample_set(sample, module, number);
}

static void sample_settle(struct taking *taking, struct sample *sample)
{
    const struct window_span *span;
    place_settle(sample, SAMPLE_PC, SAMPLE_MODULE);
    place_settle(sample, SAMPLE_TARGET, SAMPLE_TARGET_MODULE);
    sample_set(sample, SAMPLE_ORIGIN, ORIGIN_MODEL);
    sample_set(sample, SAMPLE_TID, taking->window->tid);
    if (!sample_knows(sample, SAMPLE_DATA))
        return;
    span = window_span_find(taking->course->windows, taking->window, sample->at[SAMPLE_DATA]);
    if (span) {
        sample_set(sample, SAMPLE_DATA_MODULE, span->module);
        sample_set(sample, SAMPLE_DATA_LINKED, sample->at[SAMPLE_DATA] + span->shift);
    }
}

static void deliver(void *context, const struct sample *samples, size_t n)
{
    struct taking *taking = context;
    for (size_t i = 0; i < n; i++) {
        struct sample *sample = vec_push(taking->list);
        *sample = samples[i];
        sample_settle(taking, sample);
    }
}

/* The window stands for more cycles than it had in the model, and so does each of its records;
 * those that were chosen and have no second, since the window ends before it, are stood for by the
 * others. */
static void window_weigh(struct taking *taking, size_t first, double hz, uint64_t chosen)
{
    double times =
        taking->cycles ? (double)taking->window->weight_ns * hz / 1e9 / (double)taking->cycles : 0;
    size_t pairs = (taking->list->n - first) / 2;
    if (pairs)
        times *= (double)chosen / (double)pairs;
    for (size_t i = first; i < taking->list->n; i++)
        sample_set(&taking->list->at[i], SAMPLE_WEIGHT,
                   (uint64_t)llround(WINDOW_RECORDS_EVERY * times));
}

void window_records_take(struct sample_list *list, struct scene *scene, const struct model *model,
                         uint32_t window)
{
    const struct profileme_setup setup = {.interval = WINDOW_RECORDS_EVERY,
                                          .window = window,
                                          .tags = PROFILEME_TAGS_MOST,
                                          .buffer = 1,
                                          .history_bits = HISTORY_BITS,
                                          .seed = 1};
    const char *hz = profile_fact_find(scene->sides[0], "tsc_hz");
    struct taking taking = {.listener = {step_hear, gap_hear}, .list = list};
    taking.course = mem_alloc(sizeof *taking.course);
    taking.unit = profileme_make(&setup, deliver, &taking);
    window_course_open(taking.course, scene, model, NULL);
    taking.course->replay.wrong_ways = true;
    replay_listen(&taking.course->replay, &taking.listener);
    for (size_t i = 0; i < taking.course->windows->n; i++) {
        size_t first = list->n;
        uint64_t before = profileme_counts(taking.unit)->chosen;
        taking.window = &taking.course->windows->at[i];
        taking.cycles = 0;
        window_course_go(taking.course, i);
        profileme_gap(taking.unit);
        window_weigh(&taking, first, hz ? strtod(hz, NULL) : 1e9,
                     profileme_counts(taking.unit)->chosen - before);
    }
    profileme_free(taking.unit);
    window_course_close(taking.course);
    mem_free(taking.course);
}
