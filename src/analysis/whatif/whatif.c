#include "analysis/whatif/whatif.h"

#include "analysis/pipeline/window_course.h"
#include "analysis/whatif/course.h"
#include "analysis/whatif/edits.h"
#include "analysis/whatif/gain.h"
#include "base/err.h"
#include "base/phase.h"

#include <math.h>
#include <stdlib.h>

enum {
    EACH_KIND = 4,
    QUICK = 4000, /* instructions of a window */
};

/* ---- which are tried */

/* The best of each kind, then the best of all: bounds of different kinds are differently rough. */
static void candidates_cut(struct whatif *whatif, struct candidates *candidates, size_t tries,
                           size_t each_kind)
{
    size_t of_kind[WHATIF_KINDS] = {0}, kept = 0;
    double all =
        modelled_total(&whatif->modelled, &whatif->modelled.all, FIELD_TIME, ACCOUNT_STATES).value;
    whatif->found = candidates->n;
    for (size_t i = 0; i < candidates->n; i++) {
        const struct candidate *candidate = &candidates->at[i];
        if (i >= tries && of_kind[candidate->kind] >= each_kind) {
            whatif->left = fmax(whatif->left, candidate->bound / all);
            continue;
        }
        of_kind[candidate->kind]++;
        candidates->at[kept++] = *candidate;
    }
    candidates->n = kept;
}

/* ---- windows, once more for each candidate */

struct trying {
    struct whatif *whatif;
    struct candidates *candidates;
    struct whatif_course course;
    struct traits_cache traits;
    struct trying_places {
        VEC(uint32_t);
    } seen; /* by the number of an instruction: 0 unknown, 1 none's place, 2 a candidate's */
    struct map places;
};

static void course_ready(void *of, const struct core *core)
{
    course_begin(of, core);
}

static bool is_place(struct trying *trying, const struct course_step *step)
{
    vec_reserve(&trying->seen, (size_t)step->id + 1);
    uint32_t *seen = &trying->seen.at[step->id];
    if (!*seen)
        *seen = map_find(&trying->places, &step->fact.at.v) == MAP_NONE ? 1 : 2;
    return *seen == 2;
}

/* Which candidates a window has; layouts are looked for in all of it. */
static void present_find(struct trying *trying, uint8_t *present)
{
    for (size_t i = 0; i < trying->course.n; i++) {
        const struct course_step *step = &trying->course.at[i];
        if (step->warming || !is_place(trying, step))
            continue;
        for (size_t k = 0; k < trying->candidates->n; k++)
            present[k] |= trying->candidates->at[k].at == step->fact.at.v;
    }
    for (size_t k = 0; k < trying->candidates->n; k++)
        present[k] |= trying->candidates->at[k].kind == WHATIF_LAYOUT;
}

static void candidate_try(struct trying *trying, struct candidate *candidate, size_t index,
                          double times)
{
    struct whatif_course *course = &trying->course;
    course_acts_clear(course);
    double units = (double)edit_make(course, &trying->traits, candidate);
    if (!(units > 0))
        return;
    double saved = (double)course_cycles(course) - (double)course_again(course, &candidate->other);
    struct candidate_sums *sums = &candidate->sums[index % WHATIF_GROUPS];
    sums->units += times * units;
    sums->saved += times * saved;
    candidate->windows++;
}

static void window_try(struct trying *trying, const struct windows *windows, size_t index)
{
    double cycles = (double)course_cycles(&trying->course);
    uint8_t *present = mem_alloc(trying->candidates->n + 1);
    if (cycles > 0)
        present_find(trying, present);
    for (size_t k = 0; k < trying->candidates->n; k++)
        if (present[k])
            candidate_try(trying, &trying->candidates->at[k],
                          index / trying->whatif->modelled.every,
                          (double)windows->at[index].weight_ns / cycles);
    mem_free(present);
}

/* As modelled_windows does: every second window on a core that has gone the others. */
static void half_try(struct whatif *whatif, struct candidates *candidates, size_t half)
{
    struct window_course *windows = mem_alloc(sizeof *windows);
    struct trying trying = {.whatif = whatif, .candidates = candidates};
    window_course_open(windows, whatif->modelled.scene, &whatif->modelled.model,
                       &whatif->modelled.code);
    windows->most = whatif->modelled.most;
    course_init(&trying.course, windows->code);
    trying.traits.code = windows->code;
    map_init(&trying.places, sizeof(uint64_t));
    for (size_t i = 0; i < candidates->n; i++)
        map_add(&trying.places, &candidates->at[i].at);
    const size_t every = whatif->modelled.every;
    for (size_t i = !half * every; i < windows->windows->n; i += 2 * every)
        window_course_train(windows, i);
    replay_listen(&windows->replay, &trying.course.listener);
    windows->ready = course_ready;
    windows->of = &trying.course;
    for (size_t i = half * every; i < windows->windows->n; i += 2 * every) {
        window_course_go(windows, i);
        window_try(&trying, windows->windows, i);
    }
    whatif->replayed += trying.course.gone;
    map_release(&trying.places);
    vec_release(&trying.seen);
    vec_release(&trying.traits);
    course_release(&trying.course);
    window_course_close(windows);
    mem_free(windows);
}

/* ---- all */

static int row_order(const void *a, const void *b)
{
    const struct whatif_row *x = a, *y = b;
    int order = gain_order(&x->gain, &y->gain);
    if (order)
        return order;
    if (x->candidate.at != y->candidate.at)
        return x->candidate.at < y->candidate.at ? -1 : 1;
    return (int)x->candidate.kind - (int)y->candidate.kind;
}

static void rows_make(struct whatif *whatif, const struct candidates *candidates)
{
    for (size_t i = 0; i < candidates->n; i++)
        if (candidates->at[i].windows) {
            struct whatif_row *row = vec_push(whatif);
            row->candidate = candidates->at[i];
            gain_estimate(whatif, row);
        }
    if (whatif->n)
        qsort(whatif->at, whatif->n, sizeof *whatif->at, row_order);
}

bool whatif_make(struct whatif *whatif, struct scene *scene, const struct whatif_asked *asked,
                 struct err *err)
{
    struct candidates candidates = {0};
    *whatif = (struct whatif){.user_share = 1, .speed = NAN};
    if (!modelled_make_quick(&whatif->modelled, scene, asked->core, asked->windows,
                             asked->quick ? QUICK : 0, err))
        return false;
    candidates_find(&candidates, &whatif->modelled, &whatif->modelled.code, asked);
    candidates_cut(whatif, &candidates, asked->tries, asked->quick ? 0 : EACH_KIND);
    gain_begin(whatif, asked->measured);
    for (size_t half = 0; half < 2 && candidates.n; half++)
        half_try(whatif, &candidates, half);
    rows_make(whatif, &candidates);
    vec_release(&candidates);
    return true;
}

void whatif_release(struct whatif *whatif)
{
    vec_release(whatif);
    if (whatif->measured == &whatif->made)
        measured_release(&whatif->made);
    modelled_release(&whatif->modelled);
}
