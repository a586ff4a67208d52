/* Calling contexts of exact runs (wire/node.h): the tree of a thread, and the branches that lead
 * from function to function.
 *
 * A thread has a current node. A call saves it in the shadow of the stack and goes on in a child; a
 * return restores it from there. So longjmp, exceptions and unknown code in between need nothing. A
 * branch from function to function is a *transfer*, known once and for all. Each node has a slot
 * for each transfer of its function, so every passage but the first is a comparison and a load
 * (contexts_code.h). The rest is done here.
 *
 * The tool says what a function is (PLAN_FUNCTION). A jump to the start of another function is a
 * call without a return of its own. A stub belongs to no function: its target is entered from where
 * the stub was. */
#pragma once

#include "walk/base/context.h"
#include "walk/count/node_tree.h"
#include "walk/count/plan.h"
#include "walk/base/region.h"

#include <stdbool.h>

enum {
    CONTEXTS_FUNCTIONS = 1 << 17,
    CONTEXTS_TRANSFERS = 1 << 20,
    CONTEXTS_NODES_MAX = 1 << 21, /* per thread, unless the tool asks for fewer */
};

struct contexts_function {
    uint64_t start, end; /* avma */
    uint32_t slice;      /* plan_slice_number: another module may lie at the same address later */
    uint32_t slots, used;
    uint32_t number, paths; /* of struct wire_plan_function */
    bool parted;
};

enum transfer_kind {
    TRANSFER_NOTHING,
    TRANSFER_CALL,    /* the node is saved, and a child entered */
    TRANSFER_TAIL,    /* a child is entered */
    TRANSFER_PENDING, /* a call of code that is no function: the function that it leads to is
                         entered later */
    TRANSFER_PENDING_TAIL,
    TRANSFER_ENTER,  /* the function that was pending */
    TRANSFER_REJOIN, /* into the middle of a function: by longjmp, or to a landing pad */
    TRANSFER_BACK,   /* a return to code that is no function: restores what is pending too */
};

struct transfer {
    uint64_t from, to;
    uint32_t slice;    /* of `to` */
    uint32_t function; /* of from; 0: none */
    uint32_t callee;   /* of to; 0: none */
    uint8_t kind;      /* enum transfer_kind */
    uint8_t length;    /* of the branch */
    uint16_t slot;     /* in the function's nodes, plus one; 0: none */
};

enum transfer_way { WAY_CALL, WAY_JUMP, WAY_COMPUTED_CALL, WAY_COMPUTED_JUMP, WAY_RETURN };

/* Zeroed, sparsely mapped memory. Under the cache's lock, except contexts_apply and the trees. */
struct contexts {
    const struct plan *plan;
    struct regions *regions;
    bool ticks;        /* measure all stays */
    bool ticks_some;   /* or some (node_ticks.h) */
    bool paths;        /* count paths in each node */
    bool merges_sites; /* calls of one function from several places of a caller share a child */
    uint32_t nodes_max;
    uint32_t n_functions, n_published, n_transfers; /* numbers start at 1 */
    uint32_t function_index[2 * CONTEXTS_FUNCTIONS];
    uint32_t transfer_index[2 * CONTEXTS_TRANSFERS];
    struct contexts_function functions[CONTEXTS_FUNCTIONS];
    struct transfer transfers[CONTEXTS_TRANSFERS];
};

/* The transfer from a branch to its target; 0: none. For WAY_RETURN `from` is 0, and the result for
 * an arrival by a return is CONTEXTS_RETURNS. */
#define CONTEXTS_RETURNS UINT32_MAX
/* Not a transfer, but an order to contexts_apply before one: the stay in the node has ended, and
 * was measured up to context.node_ended. */
#define CONTEXTS_TIMED (UINT32_MAX >> 1)
uint32_t contexts_transfer(struct contexts *contexts, uint64_t from, uint64_t to,
                           enum transfer_way way);

/* True if it comes before the plan's operations of the same exit. A call does: they are the
 * callee's. A jump does not: they are the caller's. */
static inline bool contexts_first(const struct contexts *contexts, uint32_t transfer)
{
    if (!contexts || !transfer || transfer == CONTEXTS_RETURNS)
        return contexts && transfer;
    uint8_t kind = contexts->transfers[transfer].kind;
    return kind == TRANSFER_CALL || kind == TRANSFER_PENDING;
}
static inline bool contexts_last(const struct contexts *contexts, uint32_t transfer)
{
    return contexts && transfer && !contexts_first(contexts, transfer);
}

/* Carries a transfer out, where the program stands with the context's registers, after the branch.
 */
void contexts_apply(const struct contexts *contexts, uint32_t transfer, struct context *context);

/* The offset of a transfer's slot in nodes of its function. */
static inline uint32_t contexts_slot(const struct contexts *contexts,
                                     const struct transfer *transfer)
{
    uint32_t counters = node_counters(contexts->functions[transfer->function].paths);
    return (uint32_t)sizeof(struct wire_node) + 8 * (counters + transfer->slot - 1u);
}

/* ---- trees */

/* The thread begins at the root; its bank is empty. */
void contexts_begin(const struct contexts *contexts, struct context *context);
/* A handler of the signal begins; the node is saved under `sp`. And ends. */
void contexts_signal(const struct contexts *contexts, struct context *context, uint32_t signal,
                     uint64_t sp);
void contexts_signal_end(const struct contexts *contexts, struct context *context, uint64_t sp);
/* Adds the tree of a thread that ends to another bank's. The thread's own is consumed: `first` of
 * each node becomes its place in the other. */
void contexts_merge(const struct contexts *contexts, struct context *context, uint8_t *bank);
/* For a fork: copies the tree, without counts, from the parent's bank to `to`. */
void contexts_copy(const struct contexts *contexts, struct context *context, uint8_t *from,
                   uint8_t *to);
