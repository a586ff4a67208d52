#include "consumers/path_counts.h"

#include "base/memory.h"
#include "consumers/exact.h"
#include "paths/decode.h"
#include "profile/profile.h"
#include "profile/sums.h"

void path_counts_release(struct path_counts *counts)
{
    vec_release(&counts->touched);
    vec_release(&counts->arcs);
    path_book_release(&counts->book);
}

void path_counts_add(struct path_counts *counts, const struct mappings *mappings,
                     struct place place, uint64_t path, uint64_t count, bool covered)
{
    struct book_function *function = path_book_find(&counts->book, mappings, place);
    if (!function || !path_decode(&function->reading.numbering, path, &counts->arcs))
        return;
    if (!function->arc_counts) {
        function->arc_counts = mem_alloc(function->reading.numbering.arcs.n * sizeof(uint64_t));
        *vec_push(&counts->touched) = function;
    }
    function->covered = covered;
    for (size_t i = 0; i < counts->arcs.n; i++)
        function->arc_counts[counts->arcs.at[i]] += count;
}

/* ---- giving out */

struct giver {
    struct exact *exact;
    const struct book_function *function;
};

static struct place place_of(const struct giver *giver, struct svma at)
{
    return (struct place){giver->function->module, at};
}

static void edge_give(const struct giver *giver, struct svma from, struct svma to,
                      enum edge_kind kind, uint64_t count)
{
    exact_tell_edge(giver->exact, place_of(giver, from), place_of(giver, to), kind, count);
}

static void run_give(const struct giver *giver, const struct instruction *first,
                     const struct instruction *last, uint64_t count)
{
    exact_tell_range(giver->exact, place_of(giver, first->at), last->at,
                     (uint32_t)(last - first) + 1, count);
}

/* How control goes on behind an instruction that is no branch. */
static void next_give(const struct giver *giver, const struct instruction *at, bool returns,
                      uint64_t count)
{
    struct svma next = instruction_next(at);
    if (at->kind == INSTRUCTION_CALL)
        edge_give(giver, at->at, at->target, EDGE_CALL, count);
    if ((at->kind == INSTRUCTION_CALL || at->kind == INSTRUCTION_ICALL) && returns)
        exact_tell_return(giver->exact, place_of(giver, next), count);
    else if (at->kind == INSTRUCTION_SYSCALL)
        edge_give(giver, at->at, next, EDGE_SYSCALL, count);
    else if (at->kind == INSTRUCTION_PLAIN)
        edge_give(giver, at->at, next, EDGE_SPLIT, count);
}

/* Runs end at calls and before traps, as they do in what is counted. */
static void node_give(const struct giver *giver, uint32_t node, uint64_t count)
{
    const struct path_reading *reading = &giver->function->reading;
    const struct instruction *first = ground_first(&reading->ground, &reading->cfg, node);
    const struct instruction *last = ground_last(&reading->ground, &reading->cfg, node);
    const struct instruction *end = first + ground_ran(&reading->ground, &reading->cfg, node);
    for (const struct instruction *at = first; at < last; at++)
        if (at->kind == INSTRUCTION_CALL || at->kind == INSTRUCTION_ICALL ||
            at->kind == INSTRUCTION_SYSCALL) {
            run_give(giver, first, at, count);
            next_give(giver, at, true, count);
            first = at + 1;
        }
    if (first < end)
        run_give(giver, first, end - 1, count);
}

static void end_give(const struct giver *giver, const struct instruction *last, struct svma to,
                     uint64_t count)
{
    if (last->kind == INSTRUCTION_JUMP)
        edge_give(giver, last->at, last->target, EDGE_JUMP, count);
    else if (last->kind == INSTRUCTION_COND)
        edge_give(giver, last->at, to, to.v == last->target.v ? EDGE_TAKEN : EDGE_FALL, count);
    else
        next_give(giver, last, false, count);
}

static void arc_give(const struct giver *giver, const struct arc *arc, uint64_t count)
{
    static const enum edge_kind kinds[] = {
        [CFG_TAKEN] = EDGE_TAKEN, [CFG_FALL] = EDGE_FALL, [CFG_JUMP] = EDGE_JUMP};
    const struct path_reading *reading = &giver->function->reading;
    const struct instruction *last = ground_last(&reading->ground, &reading->cfg, arc->from);
    if (arc->kind == ARC_END) {
        end_give(giver, last, reading->ground.ends.at[arc->of].to, count);
        return;
    }
    uint32_t index = reading->ground.edges.at[arc->of].edge;
    const struct cfg_edge *edge = index == EDGE_NONE ? NULL : &reading->cfg.edges.at[index];
    if (!edge || edge->kind == CFG_NEXT)
        next_give(giver, last, true, count);
    else if (edge->kind != CFG_CASE && edge->kind != CFG_INDIRECT) /* those are counted as pairs */
        edge_give(giver, edge->from, edge->to, kinds[edge->kind], count);
}

static void instructions_give(const struct giver *giver, const uint64_t *ran)
{
    const struct path_reading *reading = &giver->function->reading;
    struct path_key key = {.module = giver->function->module,
                           .kind = PATH_FUNCTION,
                           .function = giver->function->start,
                           .path = reading->numbering.total};
    struct sums *sums = table_at(&giver->exact->profile->paths, &key);
    for (uint32_t v = 0; v < reading->ground.nodes.n; v++)
        sum_add(&sums->time, ran[v] * ground_ran(&reading->ground, &reading->cfg, v));
}

static void function_give(const struct giver *giver, uint64_t *arc_counts)
{
    const struct path_numbering *numbering = &giver->function->reading.numbering;
    bool covered = giver->function->covered;
    uint64_t *ran = mem_alloc(numbering->n * sizeof *ran);
    for (size_t a = 0; a < numbering->arcs.n; a++) {
        const struct arc *arc = &numbering->arcs.at[a];
        if (!arc_counts[a])
            continue;
        if (arc->to != numbering->exit)
            ran[arc->to] += arc_counts[a];
        if (arc->kind != ARC_BEGIN && covered)
            arc_give(giver, arc, arc_counts[a]);
    }
    for (uint32_t v = 0; v < numbering->n; v++)
        if (ran[v] && covered)
            node_give(giver, v, ran[v]);
    instructions_give(giver, ran);
    mem_free(ran);
}

void path_counts_give(struct path_counts *counts, struct exact *exact)
{
    for (size_t i = 0; i < counts->touched.n; i++) {
        struct book_function *function = counts->touched.at[i];
        function_give(&(struct giver){exact, function}, function->arc_counts);
        mem_free(function->arc_counts);
        function->arc_counts = NULL;
    }
    counts->touched.n = 0;
}
