#include "program/cfg/arcs.h"

#include "base/memory.h"

static void arcs_alloc(struct arcs *arcs, uint32_t n, size_t n_arcs)
{
    *arcs = (struct arcs){.n = n};
    arcs->first = mem_alloc((n + 1) * sizeof *arcs->first);
    arcs->to = mem_alloc((n_arcs + 1) * sizeof *arcs->to);
}

/* From how many each node has to where each node's begin. */
static void arcs_sum(struct arcs *arcs)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i <= arcs->n; i++) {
        uint32_t n = arcs->first[i];
        arcs->first[i] = sum;
        sum += n;
    }
}

/* first[i] has moved to the end of row i while it was filled. */
static void arcs_rewind(struct arcs *arcs)
{
    for (uint32_t i = arcs->n; i > 0; i--)
        arcs->first[i] = arcs->first[i - 1];
    arcs->first[0] = 0;
}

void arcs_forward(struct arcs *arcs, const struct cfg *cfg)
{
    arcs_alloc(arcs, (uint32_t)cfg->blocks.n, cfg->edges.n);
    for (size_t e = 0; e < cfg->edges.n; e++)
        arcs->first[cfg->edges.at[e].from_block]++;
    arcs_sum(arcs);
    for (size_t e = 0; e < cfg->edges.n; e++)
        arcs->to[arcs->first[cfg->edges.at[e].from_block]++] = cfg->edges.at[e].to_block;
    arcs_rewind(arcs);
}

/* Whether control can leave the function behind the block: it returns, traps, or jumps elsewhere.
 */
static void ends_mark(const struct cfg *cfg, bool *ends)
{
    for (size_t b = 0; b < cfg->blocks.n; b++)
        ends[b] = true;
    for (size_t e = 0; e < cfg->edges.n; e++)
        ends[cfg->edges.at[e].from_block] = false;
    for (size_t e = 0; e < cfg->exits.n; e++) {
        const struct cfg_exit *exit = &cfg->exits.at[e];
        if (exit->kind == INSTRUCTION_CALL || exit->kind == INSTRUCTION_ICALL)
            continue;
        ends[cfg->block_of[cfg_find(cfg, exit->from)]] = true;
    }
}

void arcs_backward(struct arcs *arcs, const struct cfg *cfg)
{
    uint32_t n = (uint32_t)cfg->blocks.n;
    bool *ends = mem_alloc(n + 1);
    ends_mark(cfg, ends);
    arcs_alloc(arcs, n + 1, cfg->edges.n + n);
    for (size_t e = 0; e < cfg->edges.n; e++)
        arcs->first[cfg->edges.at[e].to_block]++;
    for (uint32_t b = 0; b < n; b++)
        arcs->first[n] += ends[b];
    arcs_sum(arcs);
    for (size_t e = 0; e < cfg->edges.n; e++)
        arcs->to[arcs->first[cfg->edges.at[e].to_block]++] = cfg->edges.at[e].from_block;
    for (uint32_t b = 0; b < n; b++)
        if (ends[b])
            arcs->to[arcs->first[n]++] = b;
    arcs_rewind(arcs);
    mem_free(ends);
}

void arcs_turn(struct arcs *arcs, const struct arcs *of)
{
    arcs_alloc(arcs, of->n, of->first[of->n]);
    for (uint32_t a = 0; a < of->first[of->n]; a++)
        arcs->first[of->to[a]]++;
    arcs_sum(arcs);
    for (uint32_t i = 0; i < of->n; i++)
        for (uint32_t a = of->first[i]; a < of->first[i + 1]; a++)
            arcs->to[arcs->first[of->to[a]]++] = i;
    arcs_rewind(arcs);
}

void arcs_release(struct arcs *arcs)
{
    mem_free(arcs->first);
    mem_free(arcs->to);
    *arcs = (struct arcs){0};
}

block_id arcs_entry(const struct cfg *cfg)
{
    uint32_t first = cfg_find(cfg, cfg->entry);
    return first == INSTRUCTION_NONE ? BLOCK_NONE : cfg->block_of[first];
}
