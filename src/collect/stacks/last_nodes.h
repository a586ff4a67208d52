/* The nodes of each thread's last stack. From one sample to the next most outer frames stay, and
 * their nodes need not be looked up again: that would be most of the cost of adding up stacks. */
#pragma once

#include "base/vec.h"
#include "collect/stacks/stack.h"

#include <stdint.h>

enum { LAST_NODES_SLOTS = 64 };

struct last_node {
    uint64_t inside; /* avma */
    uint32_t node;
};

/* Outermost first. */
struct last_stack {
    uint32_t pid, tid;
    uint64_t mappings; /* mappings->changes when it was looked up */
    uint64_t era;
    VEC(struct last_node);
};

struct last_nodes {
    uint64_t era; /* changes when nodes are renumbered */
    struct last_stack slots[LAST_NODES_SLOTS];
};

void last_nodes_release(struct last_nodes *last);
/* Nodes are renumbered. */
void last_nodes_forget(struct last_nodes *last);

/* The last stack of a thread; empty if it is void. */
struct last_stack *last_nodes_of(struct last_nodes *last, uint32_t pid, uint32_t tid,
                                 uint64_t mappings);

/* The innermost node of the stack below `node`. `make` returns the node of a new frame. */
uint32_t last_stack_node(struct last_stack *last, const struct stack *stack, uint32_t node,
                         uint32_t (*make)(void *closure, uint32_t parent, struct avma inside),
                         void *closure);
