/* The tree of calling contexts in a bank (wire/node.h): nodes found and added.
 *
 * Nodes of no function, of which there are few, have room for the counters of any: whatever the
 * code that counts takes for its context, it writes nowhere else. */
#pragma once

#include "wire/channel.h"
#include "wire/node.h"

#include <stdbool.h>

struct node_tree {
    uint8_t *bank;
    uint32_t *used, *n; /* bytes, nodes */
    uint32_t nodes_max;
    bool counts_paths;
};

/* What a new node is. */
struct node_kind {
    uint32_t function, number;
    uint32_t slots, paths;
};

static inline struct wire_node *node_at(uint8_t *bank, uint32_t number)
{
    return (struct wire_node *)(void *)(bank + NODES_AT + number);
}
static inline uint64_t *node_path_counters(struct wire_node *node)
{
    return (uint64_t *)(void *)(node + 1);
}
static inline uint64_t *node_slots(struct wire_node *node)
{
    return node_path_counters(node) + node_counters(node->paths);
}

/* The root of an empty bank. */
void node_tree_begin(const struct node_tree *tree);
/* Where the records of a bank end, and how many there are. */
uint32_t node_tree_end(uint8_t *bank, uint32_t *ret_n);

/* 0: there is none. */
uint32_t node_child_find(const struct node_tree *tree, uint32_t parent, uint64_t site,
                         uint32_t function);
/* The node itself, or one above it, of the function; 0: none. */
uint32_t node_above_find(uint8_t *bank, uint32_t at, uint32_t function);
/* One that stands for no function, below the root. */
uint32_t node_special_get(const struct node_tree *tree, uint32_t function);
/* The child of a node, found or added; below NODE_OTHERS, if there is no room: or that itself. */
uint32_t node_child_get(const struct node_tree *tree, uint32_t parent, uint64_t site,
                        const struct node_kind *kind);
/* It is NODE_OTHERS, or below it. */
bool node_is_other(uint8_t *bank, uint32_t number);
