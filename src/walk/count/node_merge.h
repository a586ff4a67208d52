/* Whole trees of calling contexts: that of a thread that ends added to another, and that of a fork
 * made. */
#pragma once

#include "walk/count/node_tree.h"

/* Adds a tree to that of `bank`. Its own is spent: `first` of each node is where it is now. Returns
 * how often paths were counted for which there was no room. */
uint64_t nodes_merge(const struct node_tree *tree, uint8_t *bank);
/* A fork: copies the tree to the empty `bank`, without what was counted. */
void nodes_copy(const struct node_tree *tree, uint8_t *bank);
