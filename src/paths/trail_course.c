#include "paths/trail_course.h"

#include "program/insn/disasm.h"
#include "program/elf/image.h"
#include "program/symbols/symbols.h"

#include <string.h>

void trail_course_make(struct trail_course *course, const struct trail_graph *graph,
                       const struct image *image, const struct symbols *symbols,
                       const struct svma *steps, size_t n_steps)
{
    uint32_t depth = UINT32_MAX / 2;
    struct instruction last = {0};
    bool strange = true;
    *course = (struct trail_course){.graph = graph, .steps = steps, .n_steps = n_steps};
    for (size_t i = 0; i < n_steps; i++) {
        struct svma at = steps[i];
        uint32_t piece = trail_piece_find(graph, at);
        struct instruction now;
        if (piece == UINT32_MAX || !disasm_at(image, at, &now)) {
            strange = true;
            continue;
        }
        if (graph->pieces.at[piece].start.v == at.v) {
            bool call = last.kind == INSTRUCTION_CALL || last.kind == INSTRUCTION_ICALL;
            bool returned = last.kind == INSTRUCTION_RETURN;
            bool jumped = !returned && symbols_find(symbols, last.at) != symbols_find(symbols, at);
            depth += call && !strange;
            depth -= returned && !strange;
            *vec_push(course) =
                (struct trail_met){.piece = piece,
                                   .depth = depth,
                                   .step = i,
                                   .cond = last.kind == INSTRUCTION_COND && !strange,
                                   .taken = at.v != instruction_next(&last).v,
                                   .entered = (call || jumped) && !strange,
                                   .strange = strange};
        }
        last = now;
        strange = false;
    }
}

void trail_course_release(struct trail_course *course)
{
    vec_release(course);
}

bool trail_course_way(const struct trail_course *course, size_t index, uint32_t bits, bool across,
                      struct trail_way *ret_way, uint64_t *ret_history)
{
    uint32_t seen = 0, from = course->at[index].depth;
    *ret_way = (struct trail_way){0};
    *ret_history = 0;
    for (;; index--) {
        const struct trail_met *met = &course->at[index];
        *vec_push(ret_way) = met->piece;
        if (seen == bits || (met->entered && !across && met->depth == from))
            return true;
        if (met->strange)
            return met->step > 0;
        /* Control came from code that is known, but in a way that is not. */
        if (course->graph->pieces.at[met->piece].cut &&
            (index == 0 || !trail_arc_is(course->graph, met[-1].piece, met->piece)))
            return true;
        if (index == 0)
            return false;
        if (met->cond)
            *ret_history |= (uint64_t)met->taken << seen++;
    }
}

static bool ways_equal(const struct trail_way *a, const struct trail_way *b)
{
    return a->n == b->n && memcmp(a->at, b->at, a->n * sizeof *a->at) == 0;
}

struct wanted {
    const struct trail_way *way;
    bool met;
};

static void way_compare(void *closure, const struct trail_way *way)
{
    struct wanted *wanted = closure;
    wanted->met |= ways_equal(way, wanted->way);
}

/* Whether one way was found, and the right one. */
static bool find_succeeds(const struct trail_course *course, const struct trail_asked *asked,
                          const struct trail_way *truth, struct trail_scores *scores)
{
    struct trail_answer answer;
    struct wanted wanted = {.way = truth};
    trail_find(course->graph, asked, way_compare, &wanted, &answer);
    bool alone = answer.n == 1 && !answer.gave_up && wanted.met;
    scores->gave_up += answer.gave_up && !asked->has_pair && !asked->seen_only;
    scores->wrong += !answer.gave_up && !wanted.met;
    trail_way_release(&answer.first);
    return alone;
}

static bool likely_succeeds(const struct trail_course *course, const struct trail_asked *asked,
                            enum trail_counts by, const struct trail_way *truth)
{
    struct trail_way likely;
    trail_likely(course->graph, asked, by, &likely);
    bool equal = ways_equal(&likely, truth);
    trail_way_release(&likely);
    return equal;
}

static bool best_succeeds(const struct trail_course *course, const struct trail_asked *asked,
                          const struct trail_way *truth)
{
    struct trail_way best;
    bool equal = trail_best(course->graph, asked, TRAIL_BY_ARCS, &best) && ways_equal(&best, truth);
    trail_way_release(&best);
    return equal;
}

static void schemes_try(const struct trail_course *course, struct trail_asked *asked,
                        const struct trail_way *truth, struct trail_scores *scores)
{
    scores->counts += likely_succeeds(course, asked, TRAIL_BY_ARCS, truth);
    scores->blocks += likely_succeeds(course, asked, TRAIL_BY_PIECES, truth);
    scores->history += find_succeeds(course, asked, truth, scores);
    scores->likely += best_succeeds(course, asked, truth);
    asked->seen_only = true;
    scores->seen += find_succeeds(course, asked, truth, scores);
    asked->seen_only = false;
    asked->has_pair = true;
    scores->pair += find_succeeds(course, asked, truth, scores);
}

bool trail_course_known(const struct trail_course *course)
{
    if (!course->n || !course->n_steps)
        return false;
    const struct trail_piece *piece = &course->graph->pieces.at[course->at[course->n - 1].piece];
    uint64_t at = course->steps[course->n_steps - 1].v;
    return at >= piece->start.v && at <= piece->last.v;
}

void trail_course_ask(const struct trail_course *course, uint32_t bits, bool across, size_t back,
                      struct trail_scores *scores)
{
    size_t last = course->n_steps - 1;
    const struct trail_met *met = &course->at[course->n - 1];
    struct trail_way truth;
    struct trail_asked asked = {.piece = met->piece,
                                .at = course->steps[last],
                                .before = (uint32_t)(last - met->step),
                                .bits = bits,
                                .across = across,
                                .pair = course->steps[last - back],
                                .distance = (uint32_t)back};
    scores->asked++;
    if (trail_course_way(course, course->n - 1, bits, across, &truth, &asked.history))
        schemes_try(course, &asked, &truth, scores);
    else
        scores->gave_up++;
    trail_way_release(&truth);
}
