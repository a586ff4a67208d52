/* Adds and copies whole trees of calling contexts. */
#pragma once

#include "walk/count/node_tree.h"

/* Adds a tree to that of `bank`. The tree is consumed: `first` of each node becomes its place in
 * the other. Returns how many counts of paths found no room. */
uint64_t nodes_merge(const struct node_tree *tree, uint8_t *bank);
/* For a fork: copies the tree to the empty `bank`, without counts. */
void nodes_copy(const struct node_tree *tree, uint8_t *bank);
