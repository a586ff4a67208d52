/* The tree of calling contexts in a bank (wire/node.h): finds and adds nodes.
 *
 * The few nodes of no function have room for the counters of any function: code that counts in the
 * wrong node still writes inside it. */
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

/* The properties of a new node. */
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
/* The end of the records of a bank, and their number. */
uint32_t node_tree_end(uint8_t *bank, uint32_t *ret_n);

/* 0: none. */
uint32_t node_child_find(const struct node_tree *tree, uint32_t parent, uint64_t site,
                         uint32_t function);
/* The node itself, or one above it, of the function; 0: none. */
uint32_t node_above_find(uint8_t *bank, uint32_t at, uint32_t function);
/* A node of no function, below the root. */
uint32_t node_special_get(const struct node_tree *tree, uint32_t function);
/* The child of a node, found or added. Without room: a child of NODE_OTHERS, or that itself. */
uint32_t node_child_get(const struct node_tree *tree, uint32_t parent, uint64_t site,
                        const struct node_kind *kind);
/* True for NODE_OTHERS and nodes below it. */
bool node_is_other(uint8_t *bank, uint32_t number);
