#include "walk/count/node_merge.h"

/* Returns what did not fit. */
static uint64_t counters_add(struct wire_node *into, struct wire_node *from)
{
    uint64_t lost = 0;
    bool fits = into->paths == from->paths && into->number == from->number;
    for (uint32_t i = 0; i < node_counters(from->paths); i++) {
        uint64_t count = node_path_counters(from)[i];
        if (count && fits)
            node_path_counters(into)[i] += count;
        else
            lost += count;
    }
    return lost;
}

uint64_t nodes_merge(const struct node_tree *tree, uint8_t *bank)
{
    uint32_t used = 0, n = 0;
    uint64_t lost = 0;
    struct node_tree into = {.bank = bank,
                             .used = &used,
                             .n = &n,
                             .nodes_max = UINT32_MAX,
                             .counts_paths = tree->counts_paths};
    if (node_at(bank, 0)->bytes)
        used = node_tree_end(bank, &n);
    else
        node_tree_begin(&into);
    for (uint32_t at = 0, bytes; at < *tree->used; at += bytes) {
        struct wire_node *node = node_at(tree->bank, at);
        bytes = node->bytes;
        struct node_kind kind = {
            .function = node->function, .number = node->number, .paths = node->paths};
        uint32_t there = 0, parent = node_at(tree->bank, node->parent)->first;
        if (at)
            there = node->function >= NODE_SIGNALS
                        ? node_special_get(&into, node->function)
                        : node_child_get(&into, parent, node->site, &kind);
        node->first = there; /* its children come later */
        node_at(bank, there)->count += node->count;
        node_at(bank, there)->ticks += node_ticks_whole(node);
        node_at(bank, there)->timed += node->timed;
        node_at(bank, there)->spread += node->spread;
        lost += counters_add(node_at(bank, there), node);
    }
    return lost;
}

/* Slots may lead to nodes that the parent has made since. */
static void slots_copy(struct wire_node *to, struct wire_node *from, uint32_t used)
{
    for (uint32_t i = 0; i < from->slots; i++)
        node_slots(to)[i] = (uint32_t)node_slots(from)[i] < used ? node_slots(from)[i] : 0;
}

/* Counters are not even looked at: most of their pages do not exist. */
void nodes_copy(const struct node_tree *tree, uint8_t *bank)
{
    for (uint32_t at = 0; at < *tree->used; at += node_at(bank, at)->bytes) {
        struct wire_node *node = node_at(bank, at), *from = node_at(tree->bank, at);
        *node = *from;
        node->count = node->ticks = 0;
        node->timed = node->stays = node->spread = 0;
        node->gap = node->weight = 0;
        node->left = 0;
        node->first = node->first < *tree->used ? node->first : 0;
        node->next = node->next < *tree->used ? node->next : 0;
        slots_copy(node, from, *tree->used);
    }
}
