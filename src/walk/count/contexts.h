/* Calling contexts of exact runs (wire/node.h): the tree of a thread, and which branches lead from
 * function to function.
 *
 * A thread has a current node. A call puts it by in the shadow of the stack and goes on in a child;
 * whoever returns takes it back from there, so that longjmp, exceptions and code that we do not
 * know in between need nothing. A branch that leads from function to function is a *transfer*,
 * known once and for all; each node has a slot for each transfer of its function, so that all but
 * the first passage is a comparison and a load (contexts_code.h). The rest is done here.
 *
 * What a function is the tool tells (PLAN_FUNCTION). A jump to the start of another one is a call
 * that has no return of its own; a stub belongs to no function, and what it leads to is entered
 * from where the stub was. */
#pragma once

#include "walk/base/context.h"
#include "walk/count/node_tree.h"
#include "walk/count/plan.h"
#include "walk/base/region.h"

#include <stdbool.h>

enum {
    CONTEXTS_FUNCTIONS = 1 << 17,
    CONTEXTS_TRANSFERS = 1 << 20,
    CONTEXTS_NODES_MAX = 1 << 21, /* of a thread, unless the tool asks for fewer */
};

struct contexts_function {
    uint64_t start, end; /* avma */
    uint32_t slice;      /* of the plan: others may lie at the same place later */
    uint32_t slots, used;
    uint32_t number, paths; /* struct wire_plan_function's */
    bool parted;
};

enum transfer_kind {
    TRANSFER_NOTHING,
    TRANSFER_CALL,    /* the node is put by, and a child entered */
    TRANSFER_TAIL,    /* a child is entered */
    TRANSFER_PENDING, /* a call of what is no function: which is entered will be seen */
    TRANSFER_PENDING_TAIL,
    TRANSFER_ENTER,  /* what was pending: here it is */
    TRANSFER_REJOIN, /* into the middle of a function: by longjmp, say, or to a landing pad */
    TRANSFER_BACK,   /* a return to what is no function: what is pending is taken back, too */
};

struct transfer {
    uint64_t from, to;
    uint32_t slice;    /* of `to` */
    uint32_t function; /* of from; 0: none */
    uint32_t callee;   /* of to; 0: none */
    uint8_t kind;      /* enum transfer_kind */
    uint8_t length;    /* of the branch */
    uint16_t slot;     /* of the function's nodes, and one; 0: none */
};

enum transfer_way { WAY_CALL, WAY_JUMP, WAY_COMPUTED_CALL, WAY_COMPUTED_JUMP, WAY_RETURN };

/* Zeroed, sparsely mapped memory. All but contexts_apply and the trees: under the cache's lock. */
struct contexts {
    const struct plan *plan;
    struct regions *regions;
    bool ticks;        /* of all stays in nodes */
    bool ticks_some;   /* or of some (walk/count/node_ticks.h) */
    bool paths;        /* are counted in each node */
    bool merges_sites; /* who calls another function from several places has one child for all */
    uint32_t nodes_max;
    uint32_t n_functions, n_published, n_transfers; /* numbers begin with 1 */
    uint32_t function_index[2 * CONTEXTS_FUNCTIONS];
    uint32_t transfer_index[2 * CONTEXTS_TRANSFERS];
    struct contexts_function functions[CONTEXTS_FUNCTIONS];
    struct transfer transfers[CONTEXTS_TRANSFERS];
};

/* The number of the transfer from a branch to where it leads; 0: it is none. Of WAY_RETURN `from`
 * is 0, and what returns is CONTEXTS_RETURNS. */
#define CONTEXTS_RETURNS UINT32_MAX
/* Not a transfer, but what contexts_apply is to do before one: the stay in the node is at its end,
 * and was measured up to context.node_ended. */
#define CONTEXTS_TIMED (UINT32_MAX >> 1)
uint32_t contexts_transfer(struct contexts *contexts, uint64_t from, uint64_t to,
                           enum transfer_way way);

/* Whether it is carried out before what a plan has for the same exit. A call is: what is done there
 * is the callee's; a jump is not: it is the caller's. */
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

/* Carries one out, where the program stands with the context's registers, behind the branch. */
void contexts_apply(const struct contexts *contexts, uint32_t transfer, struct context *context);

/* Where the slot of a transfer that has one is in nodes of its function. */
static inline uint32_t contexts_slot(const struct contexts *contexts,
                                     const struct transfer *transfer)
{
    uint32_t counters = node_counters(contexts->functions[transfer->function].paths);
    return (uint32_t)sizeof(struct wire_node) + 8 * (counters + transfer->slot - 1u);
}

/* ---- trees */

/* The thread begins, its bank being empty: at the root. */
void contexts_begin(const struct contexts *contexts, struct context *context);
/* A handler of the signal begins; the node is put by under `sp`. And ends. */
void contexts_signal(const struct contexts *contexts, struct context *context, uint32_t signal,
                     uint64_t sp);
void contexts_signal_end(const struct contexts *contexts, struct context *context, uint64_t sp);
/* Adds the tree of a thread that ends to another bank's. The thread's own is spent: `first` of each
 * node is where it is now. */
void contexts_merge(const struct contexts *contexts, struct context *context, uint8_t *bank);
/* A fork: the tree is copied, without what was counted, from the parent's bank to `bank`. */
void contexts_copy(const struct contexts *contexts, struct context *context, uint8_t *from,
                   uint8_t *to);
