#include "paths/spanning.h"

#include "base/memory.h"
#include "paths/number.h"

#include <stdlib.h>

/* A set of nodes is a tree of its own: each knows the way to its root by potentials. */
struct set {
    uint32_t up;
    uint32_t size;
    uint64_t above; /* potential less that of `up` */
};

/* The root; and every node on the way knows it from now on. */
static uint32_t set_root(struct set *sets, uint32_t node, uint64_t *ret_potential)
{
    uint32_t root = node;
    uint64_t sum = 0;
    while (sets[root].up != root) {
        sum += sets[root].above;
        root = sets[root].up;
    }
    *ret_potential = sum;
    while (sets[node].up != root && node != root) {
        uint32_t up = sets[node].up;
        uint64_t above = sets[node].above;
        sets[node].up = root;
        sets[node].above = sum;
        sum -= above;
        node = up;
    }
    return root;
}

/* Joined, with the head's potential above the tail's by so much; unless they are in one set. */
static bool set_join(struct set *sets, uint32_t tail, uint32_t head, uint64_t value)
{
    uint64_t tail_potential, head_potential;
    uint32_t a = set_root(sets, tail, &tail_potential), b = set_root(sets, head, &head_potential);
    if (a == b)
        return false;
    /* potential of b above a, so that the head is `value` above the tail */
    uint64_t above = tail_potential + value - head_potential;
    if (sets[a].size < sets[b].size) {
        uint32_t other = a;
        a = b;
        b = other;
        above = 0 - above;
    }
    sets[b].up = a;
    sets[b].above = above;
    sets[a].size += sets[b].size;
    return true;
}

struct ranked {
    uint64_t weight;
    uint32_t arc;
};

static int by_weight(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->arc < y->arc ? -1 : x->arc > y->arc;
}

void spanning_make(struct spanning *tree, const struct path_numbering *numbering)
{
    size_t n = numbering->arcs.n;
    struct set *sets = mem_alloc((numbering->n + 2) * sizeof *sets);
    struct ranked *ranked = mem_alloc(n * sizeof *ranked);
    tree->increment = mem_alloc(n * sizeof *tree->increment);
    tree->in = mem_alloc(n * sizeof *tree->in);
    for (uint32_t v = 0; v < numbering->n + 2; v++)
        sets[v] = (struct set){v, 1, 0};
    for (uint32_t a = 0; a < n; a++)
        ranked[a] = (struct ranked){numbering->arcs.at[a].weight, a};
    qsort(ranked, n, sizeof *ranked, by_weight);
    set_join(sets, numbering->exit, numbering->entry, 0);
    for (size_t i = 0; i < n; i++) {
        const struct arc *arc = &numbering->arcs.at[ranked[i].arc];
        tree->in[ranked[i].arc] = set_join(sets, arc->from, arc->to, arc->value);
    }
    for (size_t a = 0; a < n; a++) {
        const struct arc *arc = &numbering->arcs.at[a];
        uint64_t from, to;
        set_root(sets, arc->from, &from);
        set_root(sets, arc->to, &to);
        tree->increment[a] = tree->in[a] ? 0 : arc->value + from - to;
    }
    mem_free(sets);
    mem_free(ranked);
}

void spanning_release(struct spanning *tree)
{
    mem_free(tree->increment);
    mem_free(tree->in);
    *tree = (struct spanning){0};
}
