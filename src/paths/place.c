#include "paths/place.h"

#include "base/memory.h"
#include "paths/number.h"
#include "paths/spanning.h"

struct placer {
    const struct path_numbering *numbering;
    const struct spanning *tree;
    struct placed *placed;
    uint32_t *n_in;           /* arcs to each node, the exit included */
    uint32_t *first, *arc_in; /* arcs to a node: arc_in, from first[node] to first[node + 1] */
    uint32_t *work;           /* nodes to go on from */
    bool timed;
};

static void rows_make(struct placer *placer)
{
    const struct path_numbering *numbering = placer->numbering;
    uint32_t n = numbering->n + 2;
    placer->n_in = mem_alloc(n * sizeof(uint32_t));
    placer->first = mem_alloc((n + 1) * sizeof(uint32_t));
    placer->arc_in = mem_alloc(numbering->arcs.n * sizeof(uint32_t));
    placer->work = mem_alloc(n * sizeof(uint32_t));
    for (size_t a = 0; a < numbering->arcs.n; a++)
        placer->n_in[numbering->arcs.at[a].to]++;
    for (uint32_t v = 0; v < n; v++)
        placer->first[v + 1] = placer->first[v] + placer->n_in[v];
    for (uint32_t a = (uint32_t)numbering->arcs.n; a-- > 0;) {
        uint32_t to = numbering->arcs.at[a].to;
        placer->arc_in[placer->first[to] + --placer->n_in[to]] = a;
    }
    for (uint32_t v = 0; v < n; v++)
        placer->n_in[v] = placer->first[v + 1] - placer->first[v];
}

static void sets_place(struct placer *placer)
{
    const struct path_numbering *numbering = placer->numbering;
    uint32_t n = 0;
    placer->work[n++] = numbering->entry;
    while (n) {
        uint32_t v = placer->work[--n];
        for (uint32_t a = numbering->first[v]; a < numbering->first[v + 1]; a++) {
            uint32_t to = numbering->arcs.at[a].to;
            if (placer->tree->in[a] && placer->n_in[to] == 1 && to != numbering->exit &&
                !placer->timed)
                placer->work[n++] = to;
            else
                placer->placed[a] =
                    (struct placed){.set = true, .value = placer->tree->increment[a]};
        }
    }
}

static uint32_t n_out(const struct path_numbering *numbering, uint32_t v)
{
    return numbering->first[v + 1] - numbering->first[v];
}

static void counts_place(struct placer *placer, const struct path_graph *graph)
{
    const struct path_numbering *numbering = placer->numbering;
    uint32_t n = 0;
    placer->work[n++] = numbering->exit;
    while (n) {
        uint32_t w = placer->work[--n];
        for (uint32_t i = placer->first[w]; i < placer->first[w + 1]; i++) {
            uint32_t a = placer->arc_in[i], v = numbering->arcs.at[a].from;
            struct placed *placed = &placer->placed[a];
            if (placer->tree->in[a] && !placed->set && v != numbering->entry &&
                n_out(numbering, v) == 1 && !graph->nodes.at[v].loose && !placer->timed) {
                placer->work[n++] = v;
                continue;
            }
            placed->count = true;
            if (!placed->set) {
                placed->value = placer->tree->increment[a];
                placed->add = placed->value != 0;
            }
        }
    }
}

static void adds_place(struct placer *placer)
{
    for (size_t a = 0; a < placer->numbering->arcs.n; a++) {
        struct placed *placed = &placer->placed[a];
        if (!placed->set && !placed->count && placer->tree->increment[a])
            *placed = (struct placed){.add = true, .value = placer->tree->increment[a]};
    }
}

struct placed *place_make(const struct path_numbering *numbering, const struct path_graph *graph,
                          const struct spanning *tree, bool timed)
{
    struct placer placer = {.numbering = numbering, .tree = tree, .timed = timed};
    placer.placed = mem_alloc(numbering->arcs.n * sizeof *placer.placed);
    rows_make(&placer);
    sets_place(&placer);
    counts_place(&placer, graph);
    adds_place(&placer);
    mem_free(placer.n_in);
    mem_free(placer.first);
    mem_free(placer.arc_in);
    mem_free(placer.work);
    return placer.placed;
}
