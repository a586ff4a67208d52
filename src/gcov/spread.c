#include "gcov/spread.h"

/* Each block with its unknown arcs: what is left of its balance, and how many arcs it still lacks.
 */
struct spread {
    const struct notes_function *function;
    int64_t *balance;  /* of each block: known in minus known out */
    uint32_t *unknown; /* arcs at it that are not known */
    uint32_t *first,
        *next; /* arcs at a block: 2 i comes out of it, 2 i + 1 goes in; UINT32_MAX ends */
    bool *known;
    uint32_t *ready; /* blocks that lack one arc */
    size_t n_ready;
};

enum { LINK_NONE = -1 };

static void spread_open(struct spread *spread, const struct notes_function *function)
{
    size_t n = function->n_blocks, n_arcs = function->arcs.n;
    *spread = (struct spread){.function = function,
                              .balance = mem_alloc(n * sizeof *spread->balance),
                              .unknown = mem_alloc(n * sizeof *spread->unknown),
                              .first = mem_alloc(n * sizeof *spread->first),
                              .next = mem_alloc((2 * n_arcs + 1) * sizeof *spread->next),
                              .known = mem_alloc(n_arcs + 1),
                              .ready = mem_alloc((2 * n_arcs + n + 1) * sizeof *spread->ready)};
    for (size_t b = 0; b < n; b++)
        spread->first[b] = (uint32_t)LINK_NONE;
    for (uint32_t i = 0; i < n_arcs; i++) {
        const struct notes_arc *arc = &function->arcs.at[i];
        uint32_t ends[2] = {arc->from, arc->to};
        for (uint32_t e = 0; e < 2; e++) {
            spread->next[2 * i + e] = spread->first[ends[e]];
            spread->first[ends[e]] = 2 * i + e;
            spread->unknown[ends[e]]++;
        }
    }
}

static void spread_close(struct spread *spread)
{
    mem_free(spread->balance);
    mem_free(spread->unknown);
    mem_free(spread->first);
    mem_free(spread->next);
    mem_free(spread->known);
    mem_free(spread->ready);
}

/* Entry and exit are one block: what leaves comes in again. */
static uint32_t block_of(uint32_t block)
{
    return block == NOTES_EXIT ? NOTES_ENTRY : block;
}

static void arc_know(struct spread *spread, uint64_t *arcs, uint32_t i, uint64_t count)
{
    const struct notes_arc *arc = &spread->function->arcs.at[i];
    arcs[i] = count;
    spread->known[i] = true;
    spread->balance[block_of(arc->from)] -= (int64_t)count;
    spread->balance[block_of(arc->to)] += (int64_t)count;
    uint32_t ends[2] = {block_of(arc->from), block_of(arc->to)};
    for (int e = 0; e < 2; e++)
        if (--spread->unknown[ends[e]] == 1)
            spread->ready[spread->n_ready++] = ends[e];
}

/* The one arc at a block that is not known. */
static bool arc_solve(struct spread *spread, uint64_t *arcs, uint32_t block)
{
    uint32_t blocks[2] = {block, NOTES_EXIT};
    for (int b = 0; b < (block == NOTES_ENTRY ? 2 : 1); b++)
        for (uint32_t link = spread->first[blocks[b]]; link != UINT32_MAX;
             link = spread->next[link])
            if (!spread->known[link / 2]) {
                int64_t balance = spread->balance[block];
                int64_t count = link % 2 ? -balance : balance;
                if (count < 0)
                    return false;
                arc_know(spread, arcs, link / 2, (uint64_t)count);
                return true;
            }
    return false;
}

bool spread_counters(const struct notes_function *function, const uint64_t *counters,
                     uint64_t *ret_arcs)
{
    struct spread spread;
    if (function->n_blocks < 2)
        return !function->arcs.n;
    spread_open(&spread, function);
    spread.unknown[NOTES_ENTRY] += spread.unknown[NOTES_EXIT];
    spread.unknown[NOTES_EXIT] = 0;
    for (uint32_t b = 0; b < function->n_blocks; b++)
        if (spread.unknown[b] == 1)
            spread.ready[spread.n_ready++] = b;
    size_t counter = 0, left = 0;
    for (uint32_t i = 0; i < function->arcs.n; i++)
        if (!(function->arcs.at[i].flags & ARC_ON_TREE))
            arc_know(&spread, ret_arcs, i, counters[counter++]);
    bool ok = true;
    while (ok && spread.n_ready) {
        uint32_t block = spread.ready[--spread.n_ready];
        if (spread.unknown[block] == 1)
            ok = arc_solve(&spread, ret_arcs, block);
    }
    for (uint32_t i = 0; i < function->arcs.n; i++)
        left += !spread.known[i];
    for (uint32_t b = 0; b < function->n_blocks; b++)
        left += spread.balance[b] != 0;
    spread_close(&spread);
    return ok && !left;
}

void gather_counters(const struct notes_function *function, const uint64_t *arcs,
                     uint64_t *ret_counters)
{
    size_t counter = 0;
    for (uint32_t i = 0; i < function->arcs.n; i++)
        if (!(function->arcs.at[i].flags & ARC_ON_TREE))
            ret_counters[counter++] = arcs[i];
}
