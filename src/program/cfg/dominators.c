#include "program/cfg/dominators.h"

#include "base/memory.h"
#include "program/cfg/arcs.h"

/* Nodes in the order in which a walk leaves them for good: each after all that it leads to, but for
 * those above it. */
struct walk {
    block_id *order;
    uint32_t *place; /* in order, from 1 on; 0: not reached */
    uint32_t n;
};

static void walk_make(struct walk *walk, const struct arcs *arcs, block_id root)
{
    *walk = (struct walk){.order = mem_alloc(arcs->n * sizeof *walk->order),
                          .place = mem_alloc(arcs->n * sizeof *walk->place)};
    struct {
        block_id node;
        uint32_t next;
    } *stack = mem_alloc(arcs->n * sizeof *stack);
    bool *seen = mem_alloc(arcs->n);
    size_t depth = 0;
    stack[depth++].node = root;
    seen[root] = true;
    stack[0].next = arcs->first[root];
    while (depth) {
        block_id node = stack[depth - 1].node;
        if (stack[depth - 1].next == arcs->first[node + 1]) {
            walk->order[walk->n++] = node;
            walk->place[node] = walk->n;
            depth--;
            continue;
        }
        block_id to = arcs->to[stack[depth - 1].next++];
        if (seen[to])
            continue;
        seen[to] = true;
        stack[depth].node = to;
        stack[depth++].next = arcs->first[to];
    }
    mem_free(seen);
    mem_free(stack);
}

static block_id meet(const struct walk *walk, const block_id *parent, block_id a, block_id b)
{
    while (a != b) {
        while (walk->place[a] < walk->place[b])
            a = parent[a];
        while (walk->place[b] < walk->place[a])
            b = parent[b];
    }
    return a;
}

/* Cooper, Harvey and Kennedy: each node's parent is where the ways up from its predecessors meet,
 * again until nothing moves. The root is its own parent meanwhile. */
static void parents_find(block_id *parent, const struct walk *walk, const struct arcs *before,
                         block_id root)
{
    for (uint32_t i = 0; i < before->n; i++)
        parent[i] = BLOCK_NONE;
    parent[root] = root;
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = walk->n - 1; i-- > 0;) {
            block_id node = walk->order[i], found = BLOCK_NONE;
            for (uint32_t a = before->first[node]; a < before->first[node + 1]; a++) {
                block_id from = before->to[a];
                if (!walk->place[from] || parent[from] == BLOCK_NONE)
                    continue;
                found = found == BLOCK_NONE ? from : meet(walk, parent, from, found);
            }
            if (parent[node] != found) {
                parent[node] = found;
                moved = true;
            }
        }
    }
}

/* Numbers the tree so that one node lies above another if and only if its interval holds the
 * other's: each node's interval ends where its parent's last child's does, children in any order.
 */
static void tree_number(struct dominators *dominators, const struct walk *walk, block_id root)
{
    uint32_t n = dominators->n;
    uint32_t *size = mem_alloc(n * sizeof *size), *used = mem_alloc(n * sizeof *used);
    for (uint32_t i = 0; i < walk->n; i++) { /* children come before parents */
        block_id node = walk->order[i];
        size[node]++;
        if (node != root)
            size[dominators->parent[node]] += size[node];
    }
    for (uint32_t i = walk->n; i-- > 0;) {
        block_id node = walk->order[i], parent = dominators->parent[node];
        uint32_t at = 1;
        if (node != root) {
            at = dominators->enter[parent] + 1 + used[parent];
            used[parent] += size[node];
        }
        dominators->enter[node] = at;
        dominators->leave[node] = at + size[node] - 1;
    }
    mem_free(size);
    mem_free(used);
}

static void build(struct dominators *dominators, const struct arcs *ahead,
                  const struct arcs *before, block_id root)
{
    struct walk walk;
    *dominators = (struct dominators){.n = ahead->n};
    dominators->parent = mem_alloc((ahead->n + 1) * sizeof *dominators->parent);
    dominators->enter = mem_alloc((ahead->n + 1) * sizeof *dominators->enter);
    dominators->leave = mem_alloc((ahead->n + 1) * sizeof *dominators->leave);
    for (uint32_t i = 0; i < ahead->n; i++)
        dominators->parent[i] = BLOCK_NONE;
    if (root == BLOCK_NONE)
        return;
    walk_make(&walk, ahead, root);
    parents_find(dominators->parent, &walk, before, root);
    tree_number(dominators, &walk, root);
    dominators->parent[root] = BLOCK_NONE;
    mem_free(walk.order);
    mem_free(walk.place);
}

void post_dominators_build(struct dominators *dominators, const struct cfg *cfg)
{
    struct arcs ahead, before;
    arcs_backward(&ahead, cfg);
    arcs_turn(&before, &ahead);
    block_id end = (block_id)cfg->blocks.n;
    build(dominators, &ahead, &before, end);
    /* The node that is no block is nobody's answer. */
    for (uint32_t i = 0; i < dominators->n; i++)
        if (dominators->parent[i] == end)
            dominators->parent[i] = BLOCK_NONE;
    dominators->n = end;
    arcs_release(&ahead);
    arcs_release(&before);
}

void dominators_release(struct dominators *dominators)
{
    mem_free(dominators->parent);
    mem_free(dominators->enter);
    mem_free(dominators->leave);
    *dominators = (struct dominators){0};
}
