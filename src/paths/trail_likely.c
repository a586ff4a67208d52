/* What counts alone say about the way to an instruction, and what they say among the ways that fit
 * a history. Both go backwards; a predecessor is as likely as control came from there. */
#include "paths/trail.h"

#include "base/err.h"

#include <math.h>

/* The calls that a way is inside of. */
struct inside {
    uint32_t calls[TRAIL_CALLS_MAX];
    uint32_t n;
};

struct weighing {
    const struct trail_graph *graph;
    const struct trail_asked *asked;
    enum trail_counts by;
    struct inside inside;
};

static uint64_t arc_weight(const struct weighing *weighing, const struct trail_arc *arc)
{
    return weighing->by == TRAIL_BY_ARCS ? arc->count : weighing->graph->pieces.at[arc->from].count;
}

/* Callers are not followed from inside of a call, which has one, nor beyond the one function. */
static bool arc_open(const struct weighing *weighing, const struct trail_arc *arc)
{
    bool called = arc->how == TRAIL_CALLED;
    if (weighing->inside.n)
        return !called;
    return weighing->asked->across || (!called && !arc->crosses);
}

/* Where the function was entered the way goes on to the call, or ends. */
static bool leaves_at(const struct weighing *weighing, const struct trail_piece *piece)
{
    return piece->entry && (weighing->inside.n || !weighing->asked->across);
}

/* ---- by counts alone */

/* NULL: the way ends, or leads to the call that the function was entered by (*ret_site). */
static const struct trail_arc *arc_likely(const struct weighing *weighing,
                                          const struct trail_piece *piece, uint32_t *ret_site)
{
    const struct trail_arc *best = NULL;
    uint64_t entered = 0, most = 0;
    *ret_site = UINT32_MAX;
    for (uint32_t i = piece->first_arc; i < piece[1].first_arc; i++) {
        const struct trail_arc *arc = &weighing->graph->arcs.at[i];
        uint64_t weight = arc_weight(weighing, arc);
        entered += arc->how == TRAIL_CALLED ? weight : 0;
        if (arc_open(weighing, arc) && (!best || weight > most)) {
            best = arc;
            most = weight;
        }
    }
    /* How often the function was entered is weighed against how often control came to its beginning
     * from inside. */
    if (!leaves_at(weighing, piece) || (best && entered < most))
        return best;
    if (weighing->inside.n)
        *ret_site = weighing->inside.calls[weighing->inside.n - 1];
    return NULL;
}

void trail_likely(const struct trail_graph *graph, const struct trail_asked *asked,
                  enum trail_counts by, struct trail_way *ret_way)
{
    struct weighing weighing = {.graph = graph, .asked = asked, .by = by};
    uint32_t index = asked->piece, bits = 0, site;
    *ret_way = (struct trail_way){0};
    while (ret_way->n < TRAIL_LENGTH_MAX) {
        *vec_push(ret_way) = index;
        if (bits == asked->bits)
            return;
        const struct trail_arc *arc = arc_likely(&weighing, &graph->pieces.at[index], &site);
        if (!arc && site == UINT32_MAX)
            return;
        if (!arc) {
            weighing.inside.n--;
            index = site;
            continue;
        }
        bits += arc->how == TRAIL_TAKEN || arc->how == TRAIL_PASSED;
        if (arc->how == TRAIL_RETURNED) {
            if (weighing.inside.n == TRAIL_CALLS_MAX)
                return;
            weighing.inside.calls[weighing.inside.n++] = arc->site;
        }
        index = arc->from;
    }
}

/* ---- among those that fit */

struct search {
    struct weighing weighing; /* first */
    struct trail_way way, *best;
    double best_log;
    double taken_log, passed_log; /* of a branch anywhere, by its direction */
    uint32_t steps;
};

/* How control came to a piece, as shares of all that is open to the way. */
struct shares {
    double all, left;
};

/* What never ran is not impossible: counts may be of samples. */
static const double NEVER = 0.1;

static struct shares shares_of(const struct search *search, const struct trail_piece *piece)
{
    const struct weighing *weighing = &search->weighing;
    uint64_t entered = 0, counted = 0;
    double open = 0;
    for (uint32_t i = piece->first_arc; i < piece[1].first_arc; i++) {
        const struct trail_arc *arc = &weighing->graph->arcs.at[i];
        uint64_t weight = arc_weight(weighing, arc);
        counted += arc->count;
        entered += arc->how == TRAIL_CALLED ? weight : 0;
        open += arc_open(weighing, arc) ? (double)weight + NEVER : 0;
    }
    double left = NEVER;
    if (leaves_at(weighing, piece))
        left += (double)entered;
    else if (piece->cut && piece->count > counted)
        left += (double)(piece->count - counted);
    return (struct shares){open + left, left};
}

/* What the directions are worth that a way leaves unread. */
static double unread_log(const struct search *search, uint32_t bits)
{
    const struct trail_asked *asked = search->weighing.asked;
    double sum = 0;
    for (uint32_t i = bits; i < asked->bits; i++)
        sum += asked->history >> i & 1 ? search->taken_log : search->passed_log;
    return sum;
}

static void way_keep(struct search *search, uint32_t bits, double log_share)
{
    log_share += unread_log(search, bits);
    if (log_share <= search->best_log ||
        !trail_way_fits(search->weighing.graph, search->weighing.asked, &search->way))
        return;
    search->best_log = log_share;
    search->best->n = 0;
    for (size_t i = 0; i < search->way.n; i++)
        *vec_push(search->best) = search->way.at[i];
}

static void visit(struct search *search, uint32_t index, uint32_t bits, double log_share);

static bool arc_fits(const struct search *search, const struct trail_arc *arc, uint32_t bits)
{
    const struct trail_asked *asked = search->weighing.asked;
    bool taken = asked->history >> bits & 1;
    if (arc->how == TRAIL_RETURNED && search->weighing.inside.n == TRAIL_CALLS_MAX)
        return false;
    return arc_open(&search->weighing, arc) && !(arc->how == TRAIL_TAKEN && !taken) &&
           !(arc->how == TRAIL_PASSED && taken);
}

static void arc_visit(struct search *search, const struct trail_arc *arc, uint32_t bits,
                      double log_share)
{
    struct inside *inside = &search->weighing.inside;
    bool branch = arc->how == TRAIL_TAKEN || arc->how == TRAIL_PASSED;
    if (arc->how == TRAIL_RETURNED)
        inside->calls[inside->n++] = arc->site;
    visit(search, arc->from, bits + branch, log_share);
    inside->n -= arc->how == TRAIL_RETURNED;
}

/* The most likely arc first: whatever is less likely than a way that was found is not followed. */
static void arcs_visit(struct search *search, const struct trail_piece *piece, uint32_t bits,
                       double log_share, double all)
{
    const struct trail_arc *arcs = search->weighing.graph->arcs.at, *first = NULL;
    for (uint32_t i = piece->first_arc; i < piece[1].first_arc; i++)
        if (arc_fits(search, &arcs[i], bits) &&
            (!first ||
             arc_weight(&search->weighing, &arcs[i]) > arc_weight(&search->weighing, first)))
            first = &arcs[i];
    for (uint32_t i = piece->first_arc; first && i <= piece[1].first_arc; i++) {
        const struct trail_arc *arc = i == piece->first_arc ? first : &arcs[i - 1];
        if (i > piece->first_arc && (arc == first || !arc_fits(search, arc, bits)))
            continue;
        double weight = (double)arc_weight(&search->weighing, arc) + NEVER;
        arc_visit(search, arc, bits, log_share + log(weight / all));
    }
}

static void visit(struct search *search, uint32_t index, uint32_t bits, double log_share)
{
    const struct trail_asked *asked = search->weighing.asked;
    const struct trail_piece *piece = &search->weighing.graph->pieces.at[index];
    struct inside *inside = &search->weighing.inside;
    if (log_share <= search->best_log || ++search->steps > TRAIL_STEPS_MAX ||
        search->way.n == TRAIL_LENGTH_MAX)
        return;
    *vec_push(&search->way) = index;
    struct shares shares = shares_of(search, piece);
    double left = log_share + log(shares.left / shares.all);
    if (bits == asked->bits) {
        way_keep(search, bits, log_share);
    } else {
        if (leaves_at(&search->weighing, piece) && inside->n) {
            uint32_t site = inside->calls[inside->n - 1];
            inside->n--;
            if (trail_arc_is(search->weighing.graph, site, index))
                visit(search, site, bits, left);
            inside->calls[inside->n++] = site;
        } else if (piece->cut || leaves_at(&search->weighing, piece)) {
            way_keep(search, bits, left);
        }
        arcs_visit(search, piece, bits, log_share, shares.all);
    }
    search->way.n--;
}

bool trail_best(const struct trail_graph *graph, const struct trail_asked *asked,
                enum trail_counts by, struct trail_way *ret_way)
{
    *ret_way = (struct trail_way){0};
    struct search search = {.weighing = {.graph = graph, .asked = asked, .by = by},
                            .best = ret_way,
                            .best_log = -INFINITY};
    double taken = (double)graph->taken + 1, passed = (double)graph->passed + 1;
    search.taken_log = log(taken / (taken + passed));
    search.passed_log = log(passed / (taken + passed));
    ASSERT(asked->piece + 1 < graph->pieces.n && asked->bits <= 64);
    visit(&search, asked->piece, 0, 0);
    vec_release(&search.way);
    return ret_way->n > 0;
}
