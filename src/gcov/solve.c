#include "gcov/solve.h"

#include "flow/flow.h"

#include <stdlib.h>

enum {
    /* A call that did not come back is rare: exit, longjmp, exceptions. */
    COST_NO_RETURN = 200,
    COST_UNKNOWN = 2,
};

/* A fake arc is the way out of a call that may not come back, beside the one by which it does.
 * Where it is the only one there is nothing rare about it: a computed goto leaves by such an arc,
 * and comes in again by fake arcs of the entry. */
static int64_t arc_cost(const struct notes_function *function, uint32_t i)
{
    const struct notes_arc *arc = &function->arcs.at[i];
    bool alone = (!i || arc[-1].from != arc->from) &&
                 (i + 1 == function->arcs.n || arc[1].from != arc->from);
    return arc->flags & ARC_FAKE && arc->to == NOTES_EXIT && !alone ? COST_NO_RETURN : 0;
}

static int vote_order(const void *a, const void *b)
{
    const struct vote *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->count < y->count ? -1 : x->count > y->count;
}

struct solving {
    struct flow_graph graph;
    struct votes *votes; /* of what is being added */
    size_t next;         /* vote */
};

/* A convex cost is arcs side by side: up to the first vote each execution saves what all votes ask
 * for it, from one vote to the next a little less, beyond the last it costs. Adds the arcs of one
 * thing; they are those from the number returned on to the graph's last. */
static flow_arc piece_add(struct solving *solving, uint32_t at, flow_node from, flow_node to,
                          int64_t cost)
{
    const struct votes *votes = solving->votes;
    size_t first = solving->next, end = first;
    int64_t slope = cost;
    for (; end < votes->n && votes->at[end].at == at; end++)
        slope -= votes->at[end].less;
    solving->next = end;
    flow_arc result = (flow_arc)solving->graph.arcs.n;
    uint64_t below = 0;
    for (size_t i = first; i < end; i++) {
        const struct vote *vote = &votes->at[i];
        if (vote->count > below)
            flow_arc_add(&solving->graph, from, to, (int64_t)(vote->count - below), slope);
        below = vote->count;
        slope += (int64_t)vote->less + vote->more;
    }
    flow_arc_add(&solving->graph, from, to, FLOW_INFINITE, slope > 0 ? slope : 0);
    return result;
}

static flow_node block_in(uint32_t block)
{
    return 2 * block;
}

static flow_node block_out(uint32_t block)
{
    return 2 * block + 1;
}

/* Statements of one piece of code are seen, and lost, together: of equal votes the strongest one
 * counts, and of each other one a quarter. */
static void votes_sort(struct votes *votes)
{
    if (votes->n)
        qsort(votes->at, votes->n, sizeof *votes->at, vote_order);
    size_t kept = 0;
    for (size_t i = 0; i < votes->n; i++) {
        struct vote *last = kept ? &votes->at[kept - 1] : NULL;
        const struct vote *vote = &votes->at[i];
        if (last && last->at == vote->at && last->count == vote->count) {
            last->more =
                last->more > vote->more ? last->more + vote->more / 4 : vote->more + last->more / 4;
            last->less =
                last->less > vote->less ? last->less + vote->less / 4 : vote->less + last->less / 4;
        } else {
            votes->at[kept++] = *vote;
        }
    }
    votes->n = kept;
}

bool arcs_solve(const struct notes_function *function, struct votes *blocks, struct votes *arcs,
                uint64_t *ret_arcs)
{
    struct solving solving = {.votes = blocks};
    votes_sort(blocks);
    votes_sort(arcs);
    for (uint32_t b = 0; b < 2 * function->n_blocks; b++)
        flow_node_add(&solving.graph, 0);
    for (uint32_t b = 0; b < function->n_blocks; b++)
        piece_add(&solving, b, block_in(b), block_out(b), COST_UNKNOWN);
    flow_arc_add(&solving.graph, block_out(NOTES_EXIT), block_in(NOTES_ENTRY), FLOW_INFINITE, 0);
    flow_arc *pieces = mem_alloc((function->arcs.n + 1) * sizeof *pieces);
    solving.votes = arcs;
    solving.next = 0;
    for (uint32_t i = 0; i < function->arcs.n; i++) {
        const struct notes_arc *arc = &function->arcs.at[i];
        pieces[i] =
            piece_add(&solving, i, block_out(arc->from), block_in(arc->to), arc_cost(function, i));
    }
    pieces[function->arcs.n] = (flow_arc)solving.graph.arcs.n;
    bool ok = flow_solve(&solving.graph) == FLOW_OPTIMAL;
    for (uint32_t i = 0; ok && i < function->arcs.n; i++) {
        ret_arcs[i] = 0;
        for (flow_arc piece = pieces[i]; piece < pieces[i + 1]; piece++)
            ret_arcs[i] += (uint64_t)solving.graph.arcs.at[piece].flow;
    }
    mem_free(pieces);
    flow_graph_release(&solving.graph);
    return ok;
}
