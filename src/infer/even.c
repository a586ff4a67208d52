#include "infer/even.h"

#include <string.h>

#define NONE UINT32_MAX

/* By block: edges that lead on from it, or to it, in their order. */
struct ways {
    uint32_t *first, *edges;
};

struct evener {
    struct infer_problem *problem;
    struct ways ways[2]; /* ahead, back */
    uint32_t *region;    /* by block: from where it was come to, in this search; NONE */
    uint32_t *waiting;   /* by block of a region: edges to it that were not gone yet */
    uint32_t *queue;
    uint32_t n;      /* blocks of the region */
    uint32_t beyond; /* the one block behind it */
};

static void ways_make(struct ways *ways, const struct infer_problem *problem, int back,
                      uint32_t *fill)
{
    size_t blocks = problem->blocks.n, edges = problem->edges.n;
    for (size_t i = 0; i < edges; i++)
        ways->first[(back ? problem->edges.at[i].to : problem->edges.at[i].from) + 1]++;
    for (size_t i = 0; i < blocks; i++)
        ways->first[i + 1] += ways->first[i];
    memset(fill, 0, blocks * sizeof *fill);
    for (uint32_t i = 0; i < edges; i++) {
        uint32_t at = back ? problem->edges.at[i].to : problem->edges.at[i].from;
        ways->edges[ways->first[at] + fill[at]++] = i;
    }
}

static void evener_open(struct evener *evener, struct infer_problem *problem)
{
    size_t blocks = problem->blocks.n, edges = problem->edges.n;
    uint32_t *memory = mem_alloc((5 * blocks + 2 * edges + 3) * sizeof *memory);
    *evener = (struct evener){.problem = problem,
                              .region = memory,
                              .waiting = memory + blocks,
                              .queue = memory + 2 * blocks};
    memory += 3 * blocks;
    for (int back = 0; back < 2; back++, memory += blocks + 1 + edges) {
        evener->ways[back] = (struct ways){memory, memory + blocks + 1};
        ways_make(&evener->ways[back], problem, back, evener->waiting);
    }
    memset(evener->region, 0xFF, blocks * sizeof *evener->region);
}

static bool block_unknown(const struct infer_block *block)
{
    return !block->ran.seen && !block->entered.inferred && !block->left.inferred;
}

static struct infer_edge *edge_at(const struct evener *evener, int back, uint32_t i)
{
    return &evener->problem->edges.at[evener->ways[back].edges[i]];
}

/* Blocks that are come to from one that is known, up to others that are. False: they lead to more
 * than one. */
static bool region_find(struct evener *evener, uint32_t from)
{
    evener->n = 0;
    evener->beyond = NONE;
    for (uint32_t at = from, done = 0;; at = evener->queue[done++]) {
        for (uint32_t i = evener->ways[0].first[at]; i < evener->ways[0].first[at + 1]; i++) {
            const struct infer_edge *edge = edge_at(evener, 0, i);
            if (edge->gone.seen)
                continue;
            if (edge->to == from || !block_unknown(&evener->problem->blocks.at[edge->to])) {
                if (edge->to == from || (evener->beyond != NONE && evener->beyond != edge->to))
                    return false;
                evener->beyond = edge->to;
            } else if (evener->region[edge->to] != from) {
                evener->region[edge->to] = from;
                evener->waiting[edge->to] = 0;
                evener->queue[evener->n++] = edge->to;
            }
        }
        if (done == evener->n)
            return evener->beyond != NONE;
    }
}

/* Counts edges into the region's blocks. False: flow comes in elsewhere, too, or goes out by what
 * was seen, or nowhere. */
static bool region_closed(struct evener *evener, uint32_t from)
{
    for (uint32_t k = 0; k < evener->n; k++) {
        uint32_t at = evener->queue[k];
        if (evener->ways[0].first[at] == evener->ways[0].first[at + 1])
            return false;
        for (int back = 0; back < 2; back++)
            for (uint32_t i = evener->ways[back].first[at]; i < evener->ways[back].first[at + 1];
                 i++) {
                const struct infer_edge *edge = edge_at(evener, back, i);
                bool own = edge->from == from || evener->region[edge->from] == from;
                if (edge->gone.seen || (!own && edge->gone.inferred))
                    return false;
                evener->waiting[at] += back && own;
            }
    }
    return true;
}

/* Blocks in the order in which they are come to. False: they lie in a circle. */
static bool region_order(struct evener *evener, uint32_t from)
{
    uint32_t ordered = 0;
    for (uint32_t at = from, done = 0;; at = evener->queue[done++]) {
        for (uint32_t i = evener->ways[0].first[at]; i < evener->ways[0].first[at + 1]; i++) {
            const struct infer_edge *edge = edge_at(evener, 0, i);
            if (!edge->gone.seen && evener->region[edge->to] == from &&
                --evener->waiting[edge->to] == 0)
                evener->queue[ordered++] = edge->to;
        }
        if (done == ordered)
            return ordered == evener->n;
    }
}

/* Shares out over the edges that were not seen; the first have what is left over. */
static void block_share(struct evener *evener, uint32_t block, uint64_t count)
{
    uint64_t ways = 0;
    for (uint32_t i = evener->ways[0].first[block]; i < evener->ways[0].first[block + 1]; i++)
        ways += !edge_at(evener, 0, i)->gone.seen;
    for (uint32_t i = evener->ways[0].first[block]; i < evener->ways[0].first[block + 1]; i++) {
        struct infer_edge *edge = edge_at(evener, 0, i);
        if (edge->gone.seen)
            continue;
        edge->gone.inferred = (count + ways - 1) / ways;
        count -= edge->gone.inferred;
        ways--;
        if (edge->to != evener->beyond)
            evener->problem->blocks.at[edge->to].ran.inferred += edge->gone.inferred;
    }
}

static void region_share(struct evener *evener, uint32_t from)
{
    struct infer_blocks *blocks = &evener->problem->blocks;
    uint64_t count = 0;
    for (uint32_t i = evener->ways[0].first[from]; i < evener->ways[0].first[from + 1]; i++)
        if (!edge_at(evener, 0, i)->gone.seen)
            count += edge_at(evener, 0, i)->gone.inferred;
    if (!count)
        return;
    for (uint32_t i = 0; i < evener->n; i++)
        blocks->at[evener->queue[i]].ran.inferred = 0;
    block_share(evener, from, count);
    for (uint32_t i = 0; i < evener->n; i++)
        block_share(evener, evener->queue[i], blocks->at[evener->queue[i]].ran.inferred);
}

/* Whether an edge that nobody saw carries something from here. */
static bool block_guesses(const struct evener *evener, uint32_t block)
{
    for (uint32_t i = evener->ways[0].first[block]; i < evener->ways[0].first[block + 1]; i++)
        if (!edge_at(evener, 0, i)->gone.seen && edge_at(evener, 0, i)->gone.inferred)
            return true;
    return false;
}

void infer_even(struct infer_problem *problem)
{
    struct evener evener;
    evener_open(&evener, problem);
    for (uint32_t i = 0; i < problem->blocks.n; i++)
        if (!block_unknown(&problem->blocks.at[i]) && block_guesses(&evener, i) &&
            region_find(&evener, i) && evener.n && region_closed(&evener, i) &&
            region_order(&evener, i))
            region_share(&evener, i);
    mem_free(evener.region);
}
