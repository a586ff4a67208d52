#include "profile/file/encode_plain.h"

#include "base/err.h"
#include "wire/varint.h"

#include <stdlib.h>
#include <string.h>

/* ---- stacks */

struct twig {
    uint32_t below; /* parent + 1; 0: a root */
    uint32_t node;
    uint64_t module, address; /* as in the file */
};

/* The nodes by parent, module and address, and their weights by node. */
struct tree {
    struct twigs {
        VEC(struct twig);
    } twigs;
    struct positions {
        VEC(uint32_t);
    } children;              /* [i]: of twigs, the first whose below is i or more */
    struct positions cells;  /* [i]: of sorted, the first whose node is i or more */
    struct positions sorted; /* indices of cells */
};

static int twig_compare(const void *a, const void *b)
{
    const struct twig *x = a, *y = b;
    if (x->below != y->below)
        return x->below < y->below ? -1 : 1;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return 0;
}

static uint32_t cell_node(const struct stacks *stacks, uint32_t cell)
{
    struct stack_cell key;
    memcpy(&key, map_key(&stacks->cells, cell), sizeof key);
    return key.node;
}

static uint32_t *positions_of(struct positions *positions, size_t n)
{
    vec_reserve(positions, n);
    positions->n = n;
    return positions->at;
}

/* From how many each has to where each begins; the last is all. */
static void positions_sum(struct positions *positions)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < positions->n; i++) {
        uint32_t n = positions->at[i];
        positions->at[i] = sum;
        sum += n;
    }
}

static void tree_cells(struct tree *tree, const struct stacks *stacks)
{
    uint32_t *first = positions_of(&tree->cells, stacks->nodes.n + (size_t)1);
    uint32_t *sorted = positions_of(&tree->sorted, stacks->cells.n);
    for (uint32_t i = 0; i < stacks->cells.n; i++)
        first[cell_node(stacks, i)]++;
    positions_sum(&tree->cells);
    for (uint32_t i = 0; i < stacks->cells.n; i++)
        sorted[first[cell_node(stacks, i)]++] = i;
    memmove(first + 1, first, stacks->nodes.n * sizeof *first);
    first[0] = 0;
}

static void tree_build(struct tree *tree, const struct stacks *stacks,
                       const struct numbering *in_file)
{
    uint32_t *first = positions_of(&tree->children, stacks->nodes.n + (size_t)2);
    for (uint32_t i = 0; i < stacks->nodes.n; i++) {
        struct stack_key key = stacks_key(stacks, i);
        bool root = key.parent == STACK_NONE;
        ASSERT(root ? key.module == MODULE_NONE : key.module < in_file->n);
        *vec_push(&tree->twigs) =
            (struct twig){.below = root ? 0 : key.parent + 1,
                          .node = i,
                          .module = root ? 0 : in_file->at[key.module] + (uint64_t)1,
                          .address = key.address};
        first[root ? 0 : key.parent + 1]++;
    }
    qsort(tree->twigs.at, tree->twigs.n, sizeof *tree->twigs.at, twig_compare);
    positions_sum(&tree->children);
    tree_cells(tree, stacks);
}

static void tree_release(struct tree *tree)
{
    vec_release(&tree->twigs);
    vec_release(&tree->children);
    vec_release(&tree->cells);
    vec_release(&tree->sorted);
}

/* Of the twigs of one depth, those still to come. */
struct step {
    uint32_t at, end;
};

/* A tree on its way into chunks. */
struct descent {
    struct encoder *encoder;
    const struct stacks *stacks;
    enum chunk_type type;
    struct tree tree;
    uint64_t module, address; /* of the entry before in this chunk */
    struct steps {
        VEC(struct step);
    } steps; /* from the roots down */
};

static void put_node(struct descent *descent, size_t depth, const struct twig *twig)
{
    encode_number(descent->encoder, depth);
    encode_number(descent->encoder, varint_fold(twig->module - descent->module));
    encode_number(descent->encoder, varint_fold(twig->address - descent->address));
    descent->module = twig->module;
    descent->address = twig->address;
}

static void put_weights(struct descent *descent, uint32_t node)
{
    const struct tree *tree = &descent->tree;
    uint64_t weights[STACK_GROUPS] = {0}, mask = 0;
    for (uint32_t i = tree->cells.at[node]; i < tree->cells.at[node + 1]; i++) {
        struct stack_cell cell;
        memcpy(&cell, map_key(&descent->stacks->cells, tree->sorted.at[i]), sizeof cell);
        weights[cell.group] = descent->stacks->weights.at[tree->sorted.at[i]];
        mask |= (uint64_t)1 << cell.group;
    }
    encode_number(descent->encoder, mask);
    for (int i = 0; i < STACK_GROUPS; i++)
        if (mask >> i & 1)
            encode_number(descent->encoder, weights[i]);
}

/* A chunk explains itself: it begins with the nodes above its first, without their weights. */
static void next_chunk(struct descent *descent)
{
    encode_chunk(descent->encoder, descent->type, CHUNK_VERSION);
    descent->module = descent->address = 0;
    for (size_t depth = 0; depth + 1 < descent->steps.n; depth++) {
        put_node(descent, depth, &descent->tree.twigs.at[descent->steps.at[depth].at - 1]);
        encode_number(descent->encoder, 0);
    }
}

static void step_below(struct descent *descent, uint32_t below)
{
    const uint32_t *first = descent->tree.children.at;
    *vec_push(&descent->steps) = (struct step){first[below], first[below + 1]};
}

void encode_stacks(struct encoder *encoder, enum chunk_type type, const struct stacks *stacks,
                   const struct numbering *in_file)
{
    if (!stacks->nodes.n)
        return;
    struct descent descent = {.encoder = encoder, .stacks = stacks, .type = type};
    tree_build(&descent.tree, stacks, in_file);
    step_below(&descent, 0);
    while (descent.steps.n) {
        struct step *step = &descent.steps.at[descent.steps.n - 1];
        if (step->at == step->end) {
            descent.steps.n--;
            continue;
        }
        if (encode_is_full(encoder))
            next_chunk(&descent);
        const struct twig *twig = &descent.tree.twigs.at[step->at++];
        put_node(&descent, descent.steps.n - 1, twig);
        put_weights(&descent, twig->node);
        step_below(&descent, twig->node + 1);
    }
    encode_chunk(encoder, type, CHUNK_VERSION);
    vec_release(&descent.steps);
    tree_release(&descent.tree);
}

/* ---- threads and names */

void encode_threads(struct encoder *encoder, const struct threads *threads)
{
    for (size_t i = 0; i < threads->n; i++) {
        const struct thread_times *thread = &threads->at[i];
        if (encode_is_full(encoder))
            encode_chunk(encoder, CHUNK_THREADS, CHUNK_VERSION);
        encode_number(encoder, thread->pid);
        encode_number(encoder, thread->tid);
        encode_text(encoder, thread->name, strlen(thread->name));
        encode_number(encoder, thread->user_ns);
        encode_number(encoder, thread->kernel_ns);
        encode_number(encoder, thread->off_ns);
        encode_number(encoder, thread->switches);
    }
    if (threads->n)
        encode_chunk(encoder, CHUNK_THREADS, CHUNK_VERSION);
}

struct label {
    uint64_t module; /* in the file */
    const struct name *name;
};

static int label_compare(const void *a, const void *b)
{
    const struct label *x = a, *y = b;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    if (x->name->start != y->name->start)
        return x->name->start < y->name->start ? -1 : 1;
    return 0;
}

void encode_names(struct encoder *encoder, const struct names *names,
                  const struct numbering *in_file)
{
    struct labels {
        VEC(struct label);
    } labels = {0};
    for (size_t i = 0; i < names->n; i++) {
        ASSERT(names->at[i].module < in_file->n);
        *vec_push(&labels) = (struct label){
            .module = in_file->at[names->at[i].module] + (uint64_t)1, .name = &names->at[i]};
    }
    if (!labels.n)
        return;
    qsort(labels.at, labels.n, sizeof *labels.at, label_compare);
    uint64_t module = 0, start = 0;
    for (size_t i = 0; i < labels.n; i++) {
        const struct name *name = labels.at[i].name;
        if (encode_is_full(encoder)) {
            encode_chunk(encoder, CHUNK_NAMES, CHUNK_VERSION);
            module = start = 0;
        }
        encode_number(encoder, varint_fold(labels.at[i].module - module));
        encode_number(encoder, varint_fold(name->start - start));
        encode_number(encoder, name->bytes);
        encode_text(encoder, name->text, strlen(name->text));
        module = labels.at[i].module;
        start = name->start;
    }
    encode_chunk(encoder, CHUNK_NAMES, CHUNK_VERSION);
    vec_release(&labels);
}
