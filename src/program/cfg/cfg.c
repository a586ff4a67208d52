#include "program/cfg/cfg.h"

#include <stdlib.h>

const struct cfg_piece *cfg_piece_find(const struct cfg *cfg, struct svma at)
{
    for (size_t i = 0; i < cfg->pieces.n; i++)
        if (at.v - cfg->pieces.at[i].start.v < cfg->pieces.at[i].bytes)
            return &cfg->pieces.at[i];
    return NULL;
}

bool cfg_covers(const struct cfg *cfg, struct svma at)
{
    return cfg_piece_find(cfg, at) != NULL;
}

uint32_t cfg_find(const struct cfg *cfg, struct svma at)
{
    const struct cfg_piece *piece = cfg_piece_find(cfg, at);
    if (!piece)
        return INSTRUCTION_NONE;
    uint32_t index = cfg->index[piece->index_at + (at.v - piece->start.v)];
    return index ? index - 1 : INSTRUCTION_NONE;
}

bool cfg_ends_at(const struct cfg *cfg, struct svma at)
{
    for (size_t i = 0; i < cfg->pieces.n; i++)
        if (at.v == cfg->pieces.at[i].start.v + cfg->pieces.at[i].bytes)
            return true;
    return false;
}

uint32_t cfg_find_first(const struct cfg *cfg, struct svma start, struct svma last)
{
    if (cfg_covers(cfg, start))
        return cfg_find(cfg, start);
    for (size_t i = 0; i < cfg->pieces.n; i++)
        if (cfg->pieces.at[i].start.v > start.v && cfg->pieces.at[i].start.v <= last.v)
            return cfg_find(cfg, cfg->pieces.at[i].start);
    return INSTRUCTION_NONE;
}

int cfg_edge_order(const void *a, const void *b)
{
    const struct cfg_edge *x = a, *y = b;
    if (x->from.v != y->from.v)
        return x->from.v < y->from.v ? -1 : 1;
    if (x->to.v != y->to.v)
        return x->to.v < y->to.v ? -1 : 1;
    return x->kind < y->kind ? -1 : x->kind > y->kind;
}

uint32_t cfg_edge_find(const struct cfg *cfg, struct svma from, struct svma to,
                       enum cfg_edge_kind kind)
{
    struct cfg_edge wanted = {.from = from, .to = to, .kind = (uint8_t)kind};
    const struct cfg_edge *found =
        cfg->edges.n ? bsearch(&wanted, cfg->edges.at, cfg->edges.n, sizeof wanted, cfg_edge_order)
                     : NULL;
    return found ? (uint32_t)(found - cfg->edges.at) : EDGE_NONE;
}

void cfg_release(struct cfg *cfg)
{
    vec_release(&cfg->instructions);
    vec_release(&cfg->blocks);
    vec_release(&cfg->edges);
    vec_release(&cfg->exits);
    vec_release(&cfg->pieces);
    jumps_release(&cfg->jumps);
    mem_free(cfg->block_of);
    mem_free(cfg->index);
    *cfg = (struct cfg){0};
}
