#include "export/viewers/namestacks.h"

#include <stdlib.h>
#include <string.h>

struct namestack_key {
    uint32_t parent, function;
    uint64_t thread;
};

static uint32_t namestack_add(struct namestacks *namestacks, uint32_t parent, uint32_t function,
                              uint64_t thread)
{
    struct namestack_key key = {parent, function, thread};
    uint32_t index = map_add(&namestacks->keys, &key);
    if (index == namestacks->n)
        *vec_push(namestacks) =
            (struct namestack){.parent = parent, .function = function, .thread = thread};
    return index;
}

static uint32_t root_add(struct namestacks *namestacks, const struct tree *tree,
                         struct named_places *places, uint64_t thread, enum namestack_roots roots)
{
    const char *name = tree_thread_name(tree, thread, &places->strings.arena);
    return namestack_add(namestacks, NAMESTACK_NONE, strings_add(&places->strings, name),
                         roots == ROOT_THREADS ? thread : 0);
}

void namestacks_build(struct namestacks *namestacks, const struct tree *tree,
                      struct named_places *places, enum namestack_roots roots)
{
    uint32_t *of = mem_alloc((tree->n + 1) * sizeof *of);
    *namestacks = (struct namestacks){0};
    map_init(&namestacks->keys, sizeof(struct namestack_key));
    for (size_t i = 0; i < tree->n; i++) {
        const struct tree_node *node = &tree->at[i];
        if (node->parent == TREE_NONE) {
            of[i] = root_add(namestacks, tree, places, node->address, roots);
            namestacks->at[of[i]].weight += node->weight;
            continue;
        }
        of[i] = of[node->parent];
        uint32_t number = named_places_find(places, node->module, node->address);
        struct named_place place = places->at[number];
        for (uint32_t f = place.n_frames; f--;) {
            uint32_t function = places->frames.at[place.first_frame + f].function;
            if (roots == ROOT_NAMES)
                function = places->functions.at[function].twin;
            of[i] = namestack_add(namestacks, of[i], function, 0);
        }
        namestacks->at[of[i]].weight += node->weight;
    }
    mem_free(of);
}

void namestacks_release(struct namestacks *namestacks)
{
    map_release(&namestacks->keys);
    vec_release(namestacks);
}

/* ---- order */

struct branch {
    uint32_t below, namestack; /* below: parent + 1, 0 of roots */
    const char *name;
    uint64_t tie;
};

static int branch_compare(const void *a, const void *b)
{
    const struct branch *x = a, *y = b;
    if (x->below != y->below)
        return x->below < y->below ? -1 : 1;
    int order = strcmp(x->name, y->name);
    return order ? order : x->tie < y->tie ? -1 : x->tie > y->tie;
}

static struct branch branch_of(const struct namestacks *namestacks,
                               const struct named_places *places, uint32_t i)
{
    const struct namestack *namestack = &namestacks->at[i];
    struct branch branch = {.below = namestack->parent + 1, .namestack = i};
    if (namestack->parent == NAMESTACK_NONE) {
        branch.name = places->strings.at[namestack->function];
        branch.tie = namestack->thread;
    } else {
        const struct place_function *function = &places->functions.at[namestack->function];
        branch.name = function->name;
        branch.tie = (uint64_t)function->module << 56 ^ function->start;
    }
    return branch;
}

/* Sorted by parent, so that the children of one stand together; then depth first from the last root
 * to the first, with a stack, which turns their order round again. */
void namestacks_sort(struct namestack_walk *walk, const struct namestacks *namestacks,
                     const struct named_places *places)
{
    struct branch *branches = mem_alloc((namestacks->n + 1) * sizeof *branches);
    uint32_t *first = mem_alloc((namestacks->n + 2) * sizeof *first), waiting = 0;
    uint32_t *stack = mem_alloc((namestacks->n + 1) * sizeof *stack);
    *walk = (struct namestack_walk){0};
    for (uint32_t i = 0; i < namestacks->n; i++) {
        branches[i] = branch_of(namestacks, places, i);
        first[branches[i].below]++;
    }
    for (uint32_t i = 0, sum = 0; i < namestacks->n + 2; i++) {
        uint32_t n = first[i];
        first[i] = sum;
        sum += n;
    }
    if (namestacks->n)
        qsort(branches, namestacks->n, sizeof *branches, branch_compare);
    for (uint32_t i = first[1]; i > first[0]; i--)
        stack[waiting++] = branches[i - 1].namestack;
    while (waiting) {
        uint32_t namestack = stack[--waiting];
        *vec_push(walk) = namestack;
        for (uint32_t i = first[namestack + 2]; i > first[namestack + 1]; i--)
            stack[waiting++] = branches[i - 1].namestack;
    }
    mem_free(branches);
    mem_free(first);
    mem_free(stack);
}
