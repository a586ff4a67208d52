#include "walk/count/node_tree.h"

#include "wire/plan.h"

/* Reserved for nodes below NODE_OTHERS, at most one per function, and for counters of any function.
 */
enum { OTHERS_BYTES = 64 << 20, BEHIND_BYTES = 1 << 17 };
_Static_assert(BEHIND_BYTES > 8 << (PLAN_PATHS_MAX - 1), "a node's counters");

static uint32_t node_bytes(const struct node_kind *kind)
{
    return (uint32_t)sizeof(struct wire_node) + 8 * (node_counters(kind->paths) + kind->slots);
}

/* 0: there is no room for it. */
static uint32_t node_add(const struct node_tree *tree, uint32_t parent, uint64_t site,
                         const struct node_kind *kind, uint32_t keep_bytes)
{
    uint32_t bytes = node_bytes(kind), number = *tree->used;
    if (bytes > NODES_BYTES - BEHIND_BYTES - keep_bytes ||
        number > NODES_BYTES - BEHIND_BYTES - keep_bytes - bytes)
        return 0;
    struct wire_node *node = node_at(tree->bank, number), *above = node_at(tree->bank, parent);
    node->function = kind->function;
    node->number = kind->number;
    node->paths = (uint16_t)kind->paths;
    node->slots = (uint16_t)kind->slots;
    node->parent = parent;
    node->site = site;
    node->next = above->first;
    *tree->used = number + bytes;
    ++*tree->n;
    __atomic_store_n(&node->bytes, bytes, __ATOMIC_RELEASE);
    above->first = number;
    return number;
}

void node_tree_begin(const struct node_tree *tree)
{
    struct node_kind kind = {.paths = tree->counts_paths ? PLAN_PATHS_MAX : 0};
    struct wire_node *root = node_at(tree->bank, 0);
    root->paths = (uint16_t)kind.paths;
    root->bytes = node_bytes(&kind);
    *tree->used = root->bytes;
    *tree->n = 1;
}

uint32_t node_tree_end(uint8_t *bank, uint32_t *ret_n)
{
    uint32_t at = 0;
    for (*ret_n = 0; at < NODES_BYTES - BEHIND_BYTES && node_at(bank, at)->bytes; ++*ret_n)
        at += node_at(bank, at)->bytes;
    return at;
}

uint32_t node_child_find(const struct node_tree *tree, uint32_t parent, uint64_t site,
                         uint32_t function)
{
    struct wire_node *above = node_at(tree->bank, parent);
    uint32_t before = 0;
    for (uint32_t at = above->first; at; before = at, at = node_at(tree->bank, at)->next) {
        struct wire_node *node = node_at(tree->bank, at);
        if (node->function != function || node->site != site)
            continue;
        if (before) { /* to the front */
            node_at(tree->bank, before)->next = node->next;
            node->next = above->first;
            above->first = at;
        }
        return at;
    }
    return 0;
}

uint32_t node_above_find(uint8_t *bank, uint32_t at, uint32_t function)
{
    for (; at; at = node_at(bank, at)->parent)
        if (node_at(bank, at)->function == function)
            return at;
    return 0;
}

uint32_t node_special_get(const struct node_tree *tree, uint32_t function)
{
    struct node_kind kind = {.function = function,
                             .paths = tree->counts_paths ? PLAN_PATHS_MAX : 0};
    uint32_t node = node_child_find(tree, 0, 0, function);
    return node ? node : node_add(tree, 0, 0, &kind, 0);
}

bool node_is_other(uint8_t *bank, uint32_t number)
{
    const struct wire_node *node = node_at(bank, number);
    return node->function == NODE_OTHERS || node_at(bank, node->parent)->function == NODE_OTHERS;
}

static uint32_t other_get(const struct node_tree *tree, const struct node_kind *kind)
{
    uint32_t others = node_special_get(tree, NODE_OTHERS);
    uint32_t child = node_child_find(tree, others, 0, kind->function);
    if (!child)
        child = node_add(tree, others, 0, kind, 0);
    return child ? child : others;
}

uint32_t node_child_get(const struct node_tree *tree, uint32_t parent, uint64_t site,
                        const struct node_kind *kind)
{
    if (node_is_other(tree->bank, parent))
        return other_get(tree, kind);
    uint32_t child = node_child_find(tree, parent, site, kind->function);
    if (!child && *tree->n < tree->nodes_max)
        child = node_add(tree, parent, site, kind, OTHERS_BYTES);
    return child ? child : other_get(tree, kind);
}
