/* What views list and compare: functions, blocks, edges, instructions, calls and loops, with the
 * figures of every side of a scene.
 *
 * Code without a binary has no graph. It still gives one item for the function (the module), its
 * branch records for edges and calls, and the starts of its ranges for blocks. It has no
 * instructions. */
#pragma once

#include "analysis/counts/flow.h"

enum item_by {
    BY_FUNCTION,
    BY_LINE,
    BY_BLOCK,
    BY_EDGE,
    BY_INSTRUCTION,
    BY_CALL,
    BY_INLINE,
    BY_LOOP,
    BY_PATH, /* of comparisons alone: not a word of --by elsewhere */
};

/* "function" and so on, as in options and JSON. */
const char *item_by_name(enum item_by by);
bool item_by_parse(const char *name, enum item_by *ret_by);

struct item {
    uint32_t module, to_module; /* of the scene */
    function_id function;
    uint64_t at,
        to; /* svma; to: of edges and calls; of a loop the head of the one around it, or its own */
    uint32_t bytes; /* of blocks */
    uint32_t depth; /* of loops: 1 in no other */
    bool irreducible;
    uint64_t trips; /* of loops: where the backward jumps lead whose runs are its own */
    uint8_t kind;   /* enum cfg_edge_kind of edges, enum edge_kind of calls */
    /* count: executions; of a function, its entries; of a loop, its iterations: how often its head
     * ran. body: everything that ran inside of it. entries: of a loop, from outside. */
    struct quantity count[SIDES_MAX], body[SIDES_MAX], entries[SIDES_MAX];
};

struct items {
    VEC(struct item);
    uint64_t stray; /* records that the disassembly does not explain */
    /* Of a whole exact run that was asked to be made consistent, and is the truth already: passages
     * that did not begin at a function's entry, or end where its code lets them: exceptions,
     * longjmp, exit, and where the recording itself began and ended. */
    uint64_t begun, ended;
    /* Indirect jumps to where no function starts, as longjmp makes them: neither edges nor calls.
     */
    struct quantity landings[SIDES_MAX];
};

/* Whether counts of such items can be inferred. */
bool item_by_inferred(enum item_by by);
/* All items that any side has seen, grouped by module and function. For lines and inlined functions
 * it lists their instructions. */
void items_list(struct items *items, const struct scene *scene, enum item_by by);
void items_release(struct items *items);

const char *cfg_edge_kind_name(enum cfg_edge_kind kind);
const char *edge_kind_name(enum edge_kind kind);
