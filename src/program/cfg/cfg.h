/* The control flow graph of one function, from its disassembly, its jump tables and the recorded
 * branches.
 *
 * A block is a maximal straight run of instructions. It ends at a jump, a conditional branch, a
 * return or a trap, before every known target, and at the end of the function. A call or system
 * call ends it only if it never returns. Known targets come from the function's own direct
 * branches, calls and jump tables, and from recorded branches. To compare two profiles, build the
 * graph from the branches of both.
 *
 * Each range of the function is decoded from its start; decoding stops where bytes do not decode. A
 * target between two decoded instructions (a jump past a prefix, code after data) is decoded from
 * there until it meets known instructions. An instruction is identified by its address, so none is
 * decoded twice, but instructions may overlap.
 *
 * An indirect jump has the edges of its table, if one was proved, and the recorded ones. Jumps out
 * of the function (tail calls), calls and unresolved indirect jumps are exits, not edges. A block
 * that ends in a return has neither. */
#pragma once

#include "base/vec.h"
#include "program/insn/disasm.h"
#include "program/cfg/jumps.h"
#include "wire/address.h"

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t block_id;
#define BLOCK_NONE UINT32_MAX
#define INSTRUCTION_NONE UINT32_MAX
#define EDGE_NONE UINT32_MAX

enum cfg_edge_kind {
    CFG_TAKEN,    /* conditional branch, taken */
    CFG_FALL,     /* conditional branch, not taken */
    CFG_JUMP,     /* direct jump */
    CFG_INDIRECT, /* indirect jump, recorded */
    CFG_NEXT,     /* no branch: the next instruction starts a block */
    CFG_CASE,     /* indirect jump, an entry of its table */
};

struct cfg_block {
    struct svma start, last; /* first and last instruction */
    uint32_t bytes, instructions;
    uint32_t first; /* index of the first instruction; the others follow it */
};
struct cfg_edge {
    struct svma from, to; /* last instruction of the source, first of the target */
    block_id from_block, to_block;
    uint8_t kind; /* enum cfg_edge_kind */
};
struct cfg_exit {
    struct svma from, to; /* to: 0 when unresolved */
    uint8_t kind;         /* enum instruction_kind: CALL, ICALL, or a jump out of the function */
    uint8_t reason;       /* enum cfg_reason, when unresolved */
    bool unresolved;      /* indirect, no table, no recorded target in its module */
};

struct cfg {
    struct cfg_instructions {
        VEC(struct instruction); /* decoding order: sweeps by address, then detached runs */
    } instructions;
    struct cfg_blocks {
        VEC(struct cfg_block); /* by start */
    } blocks;
    struct cfg_edges {
        VEC(struct cfg_edge); /* by from, to, kind */
    } edges;
    struct cfg_exits {
        VEC(struct cfg_exit); /* by from, to */
    } exits;
    struct jumps jumps; /* all indirect ones, resolved or not */
    block_id *block_of; /* for each instruction */
    struct svma entry;
    uint32_t undecoded; /* times that decoding had to stop */

    struct cfg_pieces {
        VEC(struct cfg_piece {
            struct svma start;
            uint64_t bytes;
            size_t index_at;
        });
    } pieces;        /* the function's ranges */
    uint32_t *index; /* for each byte of each piece: instruction index + 1 */
};

void cfg_release(struct cfg *cfg);

/* Index of the instruction at exactly this address, or INSTRUCTION_NONE. */
uint32_t cfg_find(const struct cfg *cfg, struct svma at);
/* Index of the first instruction of the function on a straight run from start to last: the one at
 * start or, if the run enters from outside, the first of a range. */
uint32_t cfg_find_first(const struct cfg *cfg, struct svma start, struct svma last);
/* Order of edges, for qsort. */
int cfg_edge_order(const void *a, const void *b);
/* Index of the edge, or EDGE_NONE. */
uint32_t cfg_edge_find(const struct cfg *cfg, struct svma from, struct svma to,
                       enum cfg_edge_kind kind);
/* The range of the function that has the address, or NULL. */
const struct cfg_piece *cfg_piece_find(const struct cfg *cfg, struct svma at);
/* Whether the address lies in a range of the function. */
bool cfg_covers(const struct cfg *cfg, struct svma at);
/* Whether a range of the function ends just before the address. */
bool cfg_ends_at(const struct cfg *cfg, struct svma at);
