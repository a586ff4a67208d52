/* The nodes of each thread's last stack. From one sample to the next most outer frames stay as they
 * are, and their nodes need not be looked up again: that would be most of what adding up stacks
 * costs. */
#pragma once

#include "base/vec.h"
#include "collect/stacks/stack.h"

#include <stdint.h>

enum { LAST_NODES_SLOTS = 64 };

struct last_node {
    uint64_t inside; /* avma that was looked up */
    uint32_t node;
};

/* Outermost first. */
struct last_stack {
    uint32_t pid, tid;
    uint64_t mappings; /* changes of the process's mappings when it was looked up */
    uint64_t era;
    VEC(struct last_node);
};

struct last_nodes {
    uint64_t era; /* of the numbering of nodes */
    struct last_stack slots[LAST_NODES_SLOTS];
};

void last_nodes_release(struct last_nodes *last);
/* Nodes have lost their numbers. */
void last_nodes_forget(struct last_nodes *last);

/* The thread's; empty if what it had is no longer true. */
struct last_stack *last_nodes_of(struct last_nodes *last, uint32_t pid, uint32_t tid,
                                 uint64_t mappings);

/* The innermost node of the stack below `node`; `make` has the node of a frame that was not there
 * before. */
uint32_t last_stack_node(struct last_stack *last, const struct stack *stack, uint32_t node,
                         uint32_t (*make)(void *closure, uint32_t parent, struct avma inside),
                         void *closure);
