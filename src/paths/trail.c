#include "paths/trail.h"

#include "base/err.h"

struct search {
    const struct trail_graph *graph;
    const struct trail_asked *asked;
    void (*hear)(void *closure, const struct trail_way *way);
    void *closure;
    struct trail_answer *answer;
    struct trail_way way;
    uint32_t calls[TRAIL_CALLS_MAX]; /* pieces whose calls the way is inside of */
    uint32_t n_calls, steps;
};

bool trail_arc_is(const struct trail_graph *graph, uint32_t from, uint32_t to)
{
    const struct trail_piece *piece = &graph->pieces.at[to];
    for (uint32_t i = piece->first_arc; i < piece[1].first_arc; i++)
        if (graph->arcs.at[i].from == from)
            return true;
    return false;
}

/* ---- ways */

bool trail_way_fits(const struct trail_graph *graph, const struct trail_asked *asked,
                    const struct trail_way *way)
{
    uint64_t instructions = asked->before;
    if (!asked->has_pair)
        return true;
    for (size_t i = 0; i < way->n; i++) {
        const struct trail_piece *piece = &graph->pieces.at[way->at[i]];
        uint64_t last = i ? piece->last.v : asked->at.v - 1;
        if (asked->pair.v >= piece->start.v && asked->pair.v <= last)
            return true;
        instructions += i ? piece->instructions : 0;
    }
    return instructions < asked->distance;
}

static void way_tell(struct search *search)
{
    struct trail_answer *answer = search->answer;
    if (!trail_way_fits(search->graph, search->asked, &search->way))
        return;
    if (answer->n == TRAIL_WAYS_MAX) {
        answer->gave_up = true;
        return;
    }
    if (!answer->n++)
        for (size_t i = 0; i < search->way.n; i++)
            *vec_push(&answer->first) = search->way.at[i];
    if (search->hear)
        search->hear(search->closure, &search->way);
}

void trail_way_release(struct trail_way *way)
{
    vec_release(way);
}

void trail_way_inside(const struct trail_graph *graph, struct trail_way *way)
{
    uint32_t sites[TRAIL_CALLS_MAX], n = 0;
    for (size_t i = 0; i + 1 < way->n; i++) {
        const struct trail_piece *piece = &graph->pieces.at[way->at[i]];
        if (piece->entry && n && sites[n - 1] == way->at[i + 1]) {
            n--; /* on to the call */
            continue;
        }
        const struct trail_arc *along = NULL;
        for (uint32_t a = piece->first_arc; a < piece[1].first_arc && !along; a++)
            if (graph->arcs.at[a].from == way->at[i + 1] && graph->arcs.at[a].how != TRAIL_CALLED)
                along = &graph->arcs.at[a];
        if (!n && (!along || along->crosses || piece->entry)) {
            way->n = i + 1;
            return;
        }
        if (along && along->how == TRAIL_RETURNED && n < TRAIL_CALLS_MAX)
            sites[n++] = along->site;
    }
}

/* ---- search */

static void piece_visit(struct search *search, uint32_t index, uint32_t bits);

static void arc_follow(struct search *search, const struct trail_arc *arc, uint32_t bits)
{
    bool taken = search->asked->history >> bits & 1;
    if ((arc->crosses && !search->n_calls && !search->asked->across) ||
        (search->asked->seen_only && !arc->count))
        return;
    switch ((enum trail_how)arc->how) {
    case TRAIL_ALONG: piece_visit(search, arc->from, bits); break;
    case TRAIL_TAKEN:
        if (taken)
            piece_visit(search, arc->from, bits + 1);
        break;
    case TRAIL_PASSED:
        if (!taken)
            piece_visit(search, arc->from, bits + 1);
        break;
    case TRAIL_RETURNED:
        if (search->n_calls == TRAIL_CALLS_MAX) {
            search->answer->gave_up = true;
            break;
        }
        search->calls[search->n_calls++] = arc->site;
        piece_visit(search, arc->from, bits);
        search->n_calls--;
        break;
    case TRAIL_CALLED:
        if (!search->n_calls && search->asked->across)
            piece_visit(search, arc->from, bits);
        break;
    }
}

/* Beyond the beginning of a function: back to the call that led into it. */
static void site_visit(struct search *search, uint32_t bits)
{
    uint32_t site = search->calls[--search->n_calls];
    piece_visit(search, site, bits);
    search->calls[search->n_calls++] = site;
}

/* More lies before it, but nobody knows or nobody asks. */
static bool is_end(const struct search *search, const struct trail_piece *piece)
{
    return piece->cut || (piece->entry && !search->n_calls && !search->asked->across);
}

static void piece_visit(struct search *search, uint32_t index, uint32_t bits)
{
    const struct trail_piece *piece = &search->graph->pieces.at[index];
    if (search->answer->gave_up)
        return;
    if (++search->steps > TRAIL_STEPS_MAX || search->way.n == TRAIL_LENGTH_MAX) {
        search->answer->gave_up = true;
        return;
    }
    *vec_push(&search->way) = index;
    if (bits == search->asked->bits || is_end(search, piece))
        way_tell(search);
    if (bits < search->asked->bits) {
        if (piece->entry && search->n_calls &&
            trail_arc_is(search->graph, search->calls[search->n_calls - 1], index))
            site_visit(search, bits);
        for (uint32_t i = piece->first_arc; i < piece[1].first_arc; i++)
            arc_follow(search, &search->graph->arcs.at[i], bits);
    }
    search->way.n--;
}

void trail_find(const struct trail_graph *graph, const struct trail_asked *asked,
                void (*hear)(void *closure, const struct trail_way *way), void *closure,
                struct trail_answer *ret_answer)
{
    *ret_answer = (struct trail_answer){0};
    struct search search = {
        .graph = graph, .asked = asked, .hear = hear, .closure = closure, .answer = ret_answer};
    ASSERT(asked->piece + 1 < graph->pieces.n && asked->bits <= 64);
    piece_visit(&search, asked->piece, 0);
    vec_release(&search.way);
}

uint32_t trail_piece_find(const struct trail_graph *graph, struct svma at)
{
    size_t low = 0, high = graph->pieces.n ? graph->pieces.n - 1 : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (graph->pieces.at[middle].start.v <= at.v)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || at.v > graph->pieces.at[low - 1].last.v)
        return UINT32_MAX;
    return (uint32_t)(low - 1);
}
