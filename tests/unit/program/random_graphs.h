/* Functions with random control flow, assembled: reducible or not, with loops in loops. */
#pragma once

#include "base/err.h"
#include "program/binary.h"
#include "program/cfg/cfg.h"

#include "oracle.h"

#include <inttypes.h>

enum { GRAPHS = 150, GRAPH_BLOCKS_MAX = 24 };

static inline uint32_t graphs_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

static inline void graphs_write(FILE *file, uint64_t seed)
{
    for (int g = 0; g < GRAPHS; g++) {
        uint32_t n = 2 + graphs_random(&seed) % (GRAPH_BLOCKS_MAX - 1);
        fprintf(file, ".text\n.globl g%d\n.type g%d,@function\ng%d:\n", g, g, g);
        for (uint32_t b = 0; b < n; b++) {
            fprintf(file, ".L%d_%u: nop\n", g, b);
            uint32_t to = graphs_random(&seed) % n, kind = graphs_random(&seed) % 8;
            if (b + 1 == n || kind == 0)
                fprintf(file, "  ret\n");
            else if (kind == 1)
                fprintf(file, "  jmp .L%d_%u\n", g, to);
            else
                fprintf(file, "  jne .L%d_%u\n", g, to);
        }
        fprintf(file, ".size g%d,.-g%d\n", g, g);
    }
}

static inline void graphs_open(struct binary *binary, uint64_t seed)
{
    const char *folder = oracle_folder();
    char path[256];
    struct err err;
    snprintf(path, sizeof path, "%s/graphs.s", folder);
    FILE *file = fopen(path, "w");
    graphs_write(file, seed);
    fclose(file);
    oracle_run("cd %s && gcc -shared -nostdlib -Wl,-Bsymbolic -o graphs.so graphs.s", folder);
    snprintf(path, sizeof path, "%s/graphs.so", folder);
    if (!binary_open(binary, path, &err))
        abort();
    oracle_folder_remove(folder);
}

/* What can be reached from a block without passing another one (BLOCK_NONE: any), by trying. */
static inline void reach(const struct cfg *cfg, block_id from, block_id without, bool *ret_reached)
{
    memset(ret_reached, 0, cfg->blocks.n);
    if (from == without)
        return;
    ret_reached[from] = true;
    for (bool more = true; more;) {
        more = false;
        for (size_t e = 0; e < cfg->edges.n; e++) {
            const struct cfg_edge *edge = &cfg->edges.at[e];
            if (ret_reached[edge->from_block] && edge->to_block != without &&
                !ret_reached[edge->to_block])
                more = ret_reached[edge->to_block] = true;
        }
    }
}
