/* How often the code of one module ran: the source of profiles for compilers and linkers.
 *
 * Blocks and edges are those of the module's counted functions, with the counts of `gait report
 * --by block|edge|call` as whole executions. Stubs of the PLT have no blocks, and their jumps come
 * from elsewhere, because no optimizer looks inside. All formats for compilers and linkers take
 * their counts from here. */
#pragma once

#include "base/vec.h"
#include "program/symbols/symbols.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct scene;

struct code_block {
    uint64_t start, last; /* svma: first and last instruction */
    uint32_t bytes;
    function_id function;
    uint64_t count; /* may be 0: all blocks of a function that ran are there */
};

struct code_edge {
    uint64_t from, to; /* last instruction of a block, first of another of the same function */
    uint8_t kind;      /* enum cfg_edge_kind */
    function_id function;
    uint64_t count; /* may be 0 */
};

/* Calls, and jumps that leave their function. */
struct code_call {
    uint64_t from, to;   /* svma in the module; of an end that is elsewhere 0 */
    bool from_us, to_us; /* which of the two ends lie in the module; at least one */
    uint8_t kind;        /* enum edge_kind */
    uint64_t count;      /* not 0 */
};

struct code_counts {
    struct scene *scene;
    uint32_t module;       /* of the scene */
    struct binary *binary; /* its */
    struct code_blocks {
        VEC(struct code_block); /* by function, then start */
    } blocks;
    struct code_edges {
        VEC(struct code_edge); /* by function, then from, to, kind */
    } edges;
    struct code_calls {
        VEC(struct code_call); /* by from_us, from, to_us, to, kind */
    } calls;
};

/* Of the module of that path or name; NULL: of the program that was recorded. Nothing to write, and
 * a file that is gone or not the one that ran, are errors. The scene has one side and outlives the
 * counts. */
bool code_counts_make(struct code_counts *counts, struct scene *scene, const char *module,
                      struct err *err);
void code_counts_release(struct code_counts *counts);
