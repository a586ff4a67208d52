#include "program/cfg/graphs.h"
#include "program/cfg/cfg_build.h"

#include "base/parallel.h"

#include <string.h>

/* Functions built by one thread in one go: enough that threads seldom meet. */
enum { SHARD = 64 };

/* Of one shard; functions follow each other. */
struct graph_memory {
    struct graph_blocks {
        VEC(struct graph_block);
    } blocks;
    struct graph_edges {
        VEC(struct graph_edge);
    } edges;
    struct graph_exits {
        VEC(struct graph_exit);
    } exits;
    uint64_t instructions, tables, unresolved[REASON_KINDS];
};

struct job {
    struct graphs *graphs;
    const struct image *image;
    const struct symbols *symbols;
};

static uint32_t offset_of(const struct graphs *graphs, struct svma at)
{
    uint64_t offset = at.v - graphs->base.v;
    return offset < UINT32_MAX ? (uint32_t)offset : UINT32_MAX;
}

static void blocks_keep(struct graph_memory *memory, const struct graphs *graphs,
                        const struct cfg *cfg)
{
    size_t start = memory->blocks.n;
    for (size_t b = 0; b < cfg->blocks.n; b++) {
        const struct cfg_block *block = &cfg->blocks.at[b];
        uint64_t last = block->start.v + block->bytes - block->last.v;
        *vec_push(&memory->blocks) =
            (struct graph_block){.start = offset_of(graphs, block->start),
                                 .bytes = block->bytes,
                                 .instructions = block->instructions & 0xffffff,
                                 .last_bytes = last & 0xff};
    }
    *vec_push(&memory->blocks) = (struct graph_block){.start = UINT32_MAX};
    /* How many edges each block has, then where each begins. */
    struct graph_block *blocks = &memory->blocks.at[start];
    for (size_t e = 0; e < cfg->edges.n; e++)
        blocks[cfg->edges.at[e].from_block].first_edge++;
    uint32_t sum = 0;
    for (size_t b = 0; b <= cfg->blocks.n; b++) {
        uint32_t n = blocks[b].first_edge;
        blocks[b].first_edge = sum;
        sum += n;
    }
}

static void edges_keep(struct graph_memory *memory, const struct cfg *cfg, size_t first_block)
{
    struct graph_block *blocks = &memory->blocks.at[first_block];
    size_t start = memory->edges.n;
    vec_reserve(&memory->edges, start + cfg->edges.n);
    memory->edges.n = start + cfg->edges.n;
    for (size_t e = 0; e < cfg->edges.n; e++) {
        const struct cfg_edge *edge = &cfg->edges.at[e];
        memory->edges.at[start + blocks[edge->from_block].first_edge++] =
            (struct graph_edge){.to = edge->to_block & 0xfffffff, .kind = edge->kind & 15u};
    }
    for (size_t b = cfg->blocks.n; b > 0; b--)
        blocks[b].first_edge = blocks[b - 1].first_edge;
    blocks[0].first_edge = 0;
}

static void exits_keep(struct graph_memory *memory, const struct graphs *graphs,
                       const struct cfg *cfg)
{
    for (size_t e = 0; e < cfg->exits.n; e++) {
        const struct cfg_exit *exit = &cfg->exits.at[e];
        *vec_push(&memory->exits) =
            (struct graph_exit){.from = offset_of(graphs, exit->from),
                                .to = exit->unresolved ? UINT32_MAX : offset_of(graphs, exit->to),
                                .kind = exit->kind,
                                .reason = exit->reason,
                                .unresolved = exit->unresolved};
    }
    for (size_t j = 0; j < cfg->jumps.n; j++)
        if (cfg->jumps.at[j].reason == REASON_NONE)
            memory->tables++;
        else
            memory->unresolved[cfg->jumps.at[j].reason]++;
    memory->instructions += cfg->instructions.n;
}

/* Pointers into memory that still grows are set when it no longer does: until then the counts
 * alone. */
static void graph_keep(struct graph *graph, struct graph_memory *memory,
                       const struct graphs *graphs, const struct cfg *cfg)
{
    size_t first_block = memory->blocks.n, first_exit = memory->exits.n;
    uint32_t entry = cfg_find(cfg, cfg->entry);
    blocks_keep(memory, graphs, cfg);
    edges_keep(memory, cfg, first_block);
    exits_keep(memory, graphs, cfg);
    *graph = (struct graph){.n_blocks = (uint32_t)cfg->blocks.n,
                            .n_edges = (uint32_t)cfg->edges.n,
                            .n_exits = (uint32_t)(memory->exits.n - first_exit),
                            .undecoded = cfg->undecoded,
                            .entry = entry == INSTRUCTION_NONE ? BLOCK_NONE : cfg->block_of[entry]};
}

static void shard_point(struct graph *graphs, size_t n, const struct graph_memory *memory)
{
    const struct graph_block *block = memory->blocks.at;
    const struct graph_edge *edge = memory->edges.at;
    const struct graph_exit *exit = memory->exits.at;
    for (size_t i = 0; i < n; i++) {
        graphs[i].blocks = block;
        graphs[i].edges = edge;
        graphs[i].exits = exit;
        block += graphs[i].n_blocks + 1;
        edge += graphs[i].n_edges;
        exit += graphs[i].n_exits;
    }
}

#define vec_trim(vec)                                                                              \
    ((vec)->at = (vec)->n ? mem_resize((vec)->at, (vec)->n * sizeof *(vec)->at) : (vec)->at,       \
     (vec)->room = (vec)->n)

static void shard_build(void *context, size_t shard, unsigned worker)
{
    (void)worker;
    const struct job *job = context;
    struct graphs *graphs = job->graphs;
    struct graph_memory *memory = &graphs->memory[shard];
    size_t first = shard * SHARD;
    size_t n = graphs->n - first < SHARD ? graphs->n - first : SHARD;
    for (size_t i = 0; i < n; i++) {
        struct cfg cfg;
        cfg_build(&cfg, job->image, job->symbols, (function_id)(first + i), NULL, 0);
        graph_keep(&graphs->at[first + i], memory, graphs, &cfg);
        cfg_release(&cfg);
    }
    vec_trim(&memory->blocks);
    vec_trim(&memory->edges);
    vec_trim(&memory->exits);
    shard_point(&graphs->at[first], n, memory);
}

void graphs_build(struct graphs *graphs, const struct image *image, const struct symbols *symbols)
{
    size_t n = symbols->functions.n;
    *graphs = (struct graphs){.n = n, .n_shards = (n + SHARD - 1) / SHARD};
    graphs->at = mem_alloc(n * sizeof *graphs->at);
    graphs->memory = mem_alloc(graphs->n_shards * sizeof *graphs->memory);
    if (symbols->ranges.n)
        graphs->base = symbols->ranges.at[0].start;
    struct job job = {graphs, image, symbols};
    parallel_for(graphs->n_shards, shard_build, &job);
    for (size_t s = 0; s < graphs->n_shards; s++) {
        const struct graph_memory *memory = &graphs->memory[s];
        graphs->instructions += memory->instructions;
        graphs->edges += memory->edges.n;
        graphs->exits += memory->exits.n;
        graphs->tables += memory->tables;
        for (size_t r = 0; r < REASON_KINDS; r++)
            graphs->unresolved[r] += memory->unresolved[r];
    }
    for (size_t i = 0; i < n; i++)
        graphs->blocks += graphs->at[i].n_blocks;
}

void graphs_release(struct graphs *graphs)
{
    for (size_t s = 0; s < graphs->n_shards; s++) {
        vec_release(&graphs->memory[s].blocks);
        vec_release(&graphs->memory[s].edges);
        vec_release(&graphs->memory[s].exits);
    }
    mem_free(graphs->memory);
    mem_free(graphs->at);
    *graphs = (struct graphs){0};
}
