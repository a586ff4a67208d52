#include "analysis/report/contexts_build.h"

#include "analysis/report/contexts.h"
#include "analysis/report/inclusive.h"
#include "profile/sums.h"

#include <string.h>

/* ---- what counts */

static bool stack_wanted(const struct calling_contexts *contexts, uint32_t node)
{
    const struct context_frames *frames = &contexts->frames;
    for (; node != STACK_NONE; node = contexts->plain->parent_of[node])
        for (uint32_t k = frames->first_of[node]; k < frames->first_of[node + 1]; k++)
            if (contexts->wanted[frames->list.at[k].function])
                return true;
    return false;
}

/* Whether the filters let through what was seen with this node innermost. */
static bool node_counts(const struct calling_contexts *contexts, uint32_t node)
{
    const struct plain *plain = contexts->plain;
    const char *only = contexts->options.module;
    uint32_t function = plain->function_of[node];
    if (!(plain->flags[node] & PLAIN_KEPT) || (contexts->wanted && !stack_wanted(contexts, node)))
        return false;
    if (!only)
        return true;
    uint32_t module = function == PLAIN_NONE ? MODULE_NONE : plain->functions.at[function].module;
    if (module >= plain->scene->modules.n)
        return false;
    const struct scene_module *known = &plain->scene->modules.at[module];
    return strcmp(only, known->module.path) == 0 || strcmp(only, known->name) == 0;
}

/* The weight of a cell of the stacks that counts. */
struct part {
    uint32_t node, group;
    uint64_t weight; /* where both user and kernel time weigh, in the unit of user time */
    uint64_t kernel; /* the same in the kernel's own unit, of the kernel where both weigh */
    bool beside;
};

static struct part part_of(const struct calling_contexts *contexts, uint32_t i)
{
    const struct plain *plain = contexts->plain;
    const struct stack_cell *cell = map_key(&plain->profile->stacks.cells, i);
    bool kernel = plain->flags[cell->node] & PLAIN_KERNEL, both = contexts->options.both;
    uint64_t weight = context_clock_weight(&contexts->clock, plain->profile, i);
    bool scaled = both && kernel;
    return (struct part){.node = cell->node,
                         .group = cell->group,
                         .weight = scaled ? (uint64_t)((double)weight * contexts->kernel_unit + 0.5)
                                          : weight,
                         .kernel = scaled ? weight : 0,
                         .beside = !both && kernel != plain->filter.kernel};
}

/* To the weight of a context and of those above it. */
static void part_add(const struct plain *plain, const struct part *part, struct groups *total,
                     struct groups *beside)
{
    plain_add(plain, part->beside ? beside : total, part->group, part->weight);
    if (part->kernel)
        plain_add(plain, beside, part->group, part->kernel);
}

/* Adds the weight of cell i to the whole; false: it does not count. */
static bool part_take(struct calling_contexts *contexts, uint32_t i, struct part *ret_part)
{
    const struct plain *plain = contexts->plain;
    const struct stack_cell *cell = map_key(&plain->profile->stacks.cells, i);
    if (!node_counts(contexts, cell->node))
        return false;
    *ret_part = part_of(contexts, i);
    part_add(plain, ret_part, &contexts->whole, &contexts->beside);
    return true;
}

/* ---- trees */

/* No padding: compared by bytes. */
struct context_key {
    uint32_t parent, function;
    uint64_t site; /* of threads: which; of inlined functions: the line that calls; 0: any */
};

struct tree {
    struct calling_contexts *contexts;
    struct map keys;
};

static uint32_t tree_add(struct tree *tree, const struct calling_context *wanted)
{
    const struct calling_contexts *contexts = tree->contexts;
    struct context_key key = {.parent = wanted->parent, .function = wanted->function};
    if (wanted->function == CONTEXT_THREAD)
        key.site = wanted->thread;
    else if (contexts->options.sites)
        key.site = wanted->site_module == MODULE_NONE ? wanted->site_line : wanted->site;
    uint32_t i = map_add(&tree->keys, &key);
    if (i == contexts->n)
        *vec_push(tree->contexts) = *wanted;
    return i;
}

/* The nearest context on the way up, itself included, that is of the function. Whatever an
 * interpreter calls for one Python function has nothing to do with what it calls for another. */
static uint32_t tree_find_above(const struct tree *tree, uint32_t from, uint32_t function)
{
    const struct calling_contexts *contexts = tree->contexts;
    const struct context_functions *functions = &contexts->frames.functions;
    bool python = functions->at[function].python;
    while (from != CONTEXT_NONE && contexts->at[from].function != function) {
        uint32_t of = contexts->at[from].function;
        if (!python && of != CONTEXT_THREAD && functions->at[of].python)
            return CONTEXT_NONE;
        from = contexts->at[from].parent;
    }
    return from;
}

/* ---- top-down */

static bool is_outside(const struct calling_contexts *contexts, uint32_t context)
{
    return context == CONTEXT_NONE || contexts->at[context].function == CONTEXT_THREAD;
}

/* Whether the tree has not reached what it is to start with. */
static bool starts_later(const struct calling_contexts *contexts, uint32_t context,
                         uint32_t function)
{
    return contexts->wanted && contexts->options.form == CONTEXTS_TOP_DOWN &&
           is_outside(contexts, context) && !contexts->wanted[function];
}

/* The contexts of one node's frames, from its caller's inwards. */
static uint32_t node_grow(struct tree *tree, uint32_t context, uint32_t node)
{
    struct calling_contexts *contexts = tree->contexts;
    const struct context_frames *frames = &contexts->frames;
    const struct plain *plain = contexts->plain;
    uint32_t caller = plain->parent_of[node], first = frames->first_of[node];
    bool called = plain->function_of[caller] != PLAIN_NONE; /* and not a thread's start */
    for (uint32_t k = first; k < frames->first_of[node + 1]; k++) {
        uint32_t function = frames->list.at[k].function;
        if (starts_later(contexts, context, function))
            continue;
        uint32_t above =
            contexts->options.unfolded ? CONTEXT_NONE : tree_find_above(tree, context, function);
        if (above != CONTEXT_NONE) {
            contexts->at[above].recursive = true;
            context = above;
            continue;
        }
        struct calling_context wanted = {
            .parent = context, .function = function, .site_module = MODULE_NONE};
        if (is_outside(contexts, context)) { /* whoever called it is not in the tree */
            context = tree_add(tree, &wanted);
            continue;
        }
        if (k == first && called) {
            wanted.site_module = plain->functions.at[plain->function_of[caller]].module;
            wanted.site = stacks_key(&plain->profile->stacks, caller).address;
        }
        if (k > first || called) { /* frames of a caller stand right before those of the next */
            const struct context_frame *from =
                &frames->list.at[k > first ? k - 1 : frames->first_of[caller + 1] - 1];
            wanted.site_file = from->file;
            wanted.site_line = from->line;
        }
        context = tree_add(tree, &wanted);
    }
    return context;
}

/* Adds up what is below each context. Before, `total` and `beside` are what ended in it. */
static void totals_sum(struct calling_contexts *contexts)
{
    for (size_t i = contexts->n; i-- > 0;) {
        const struct calling_context *context = &contexts->at[i];
        if (context->parent == CONTEXT_NONE)
            continue;
        sum_add(&contexts->at[context->parent].total.sum, context->total.sum);
        sum_add(&contexts->at[context->parent].beside.sum, context->beside.sum);
    }
}

static void cells_sum(struct calling_contexts *contexts)
{
    for (size_t i = 0; i < contexts->cells.n; i++) {
        const struct context_cell *cell = &contexts->cells.at[i];
        struct part part = part_of(contexts, cell->cell);
        if (!plain_weighs(contexts->plain, part.group))
            continue;
        struct calling_context *end = &contexts->at[cell->end];
        sum_add(part.beside ? &end->beside.sum : &end->total.sum, part.weight);
        sum_add(&end->beside.sum, part.kernel);
        if (cell->self != CONTEXT_NONE)
            sum_add(&contexts->at[cell->self].self.sum, part.weight);
    }
    totals_sum(contexts);
}

static uint32_t thread_grow(struct tree *tree, uint32_t root)
{
    uint64_t thread = stacks_key(&tree->contexts->plain->profile->stacks, root).address;
    return tree_add(tree, &(struct calling_context){.parent = CONTEXT_NONE,
                                                    .function = CONTEXT_THREAD,
                                                    .thread = thread,
                                                    .site_module = MODULE_NONE});
}

static void nodes_grow(struct tree *tree, uint32_t *context_of)
{
    const struct plain *plain = tree->contexts->plain;
    for (uint32_t node = 0; node < plain->profile->stacks.nodes.n; node++) {
        uint32_t parent = plain->parent_of[node];
        context_of[node] = CONTEXT_NONE;
        if (!(plain->flags[node] & PLAIN_KEPT))
            continue;
        if (parent != STACK_NONE)
            context_of[node] = node_grow(tree, context_of[parent], node);
        else if (tree->contexts->options.threads)
            context_of[node] = thread_grow(tree, node);
    }
}

static void tree_grow(struct calling_contexts *contexts)
{
    const struct stacks *stacks = &contexts->plain->profile->stacks;
    uint32_t *context_of = mem_alloc((stacks->nodes.n + 1) * sizeof *context_of);
    struct tree tree = {.contexts = contexts};
    struct part part;
    map_init(&tree.keys, sizeof(struct context_key));
    map_reserve(&tree.keys, stacks->nodes.n); /* nearly every node is a context of its own */
    vec_room(contexts, stacks->nodes.n);
    vec_room(&contexts->cells, stacks->cells.n);
    nodes_grow(&tree, context_of);
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        if (!part_take(contexts, i, &part))
            continue;
        uint32_t context = context_of[part.node];
        if (context == CONTEXT_NONE) /* no frame was seen: all that is known is whose it is */
            context = thread_grow(&tree, part.node);
        *vec_push(&contexts->cells) =
            (struct context_cell){.cell = i,
                                  .end = context,
                                  .self = part.beside ? CONTEXT_NONE : context,
                                  .beside = part.beside};
    }
    map_release(&tree.keys);
    mem_free(context_of);
}

void contexts_grow(struct calling_contexts *contexts)
{
    tree_grow(contexts);
    cells_sum(contexts);
}

/* ---- bottom-up */

/* The inverted contexts that a leaf of a top-down tree becomes. */
struct inverted {
    uint32_t first; /* the leaf itself; CONTEXT_NONE: not asked for */
    uint32_t last;  /* its outermost caller */
    bool weighs;
};

static struct inverted leaf_invert(struct tree *tree, const struct calling_contexts *from,
                                   uint32_t leaf)
{
    struct calling_context wanted = {.parent = CONTEXT_NONE, .site_module = MODULE_NONE};
    struct inverted inverted = {.first = CONTEXT_NONE, .weighs = true};
    uint32_t start = leaf;
    while (from->wanted && start != CONTEXT_NONE &&
           (from->at[start].function == CONTEXT_THREAD || !from->wanted[from->at[start].function]))
        start = from->at[start].parent;
    for (uint32_t i = start; i != CONTEXT_NONE; i = from->at[i].parent) {
        wanted.function = from->at[i].function;
        wanted.thread = from->at[i].thread;
        wanted.recursive = from->at[i].recursive;
        uint32_t at = tree_add(tree, &wanted);
        tree->contexts->at[at].recursive |= from->at[i].recursive;
        if (i == leaf)
            inverted.first = at;
        wanted.parent = at;
        /* The call of this one is a place in the next. */
        wanted.site_module = from->at[i].site_module;
        wanted.site = from->at[i].site;
        wanted.site_file = from->at[i].site_file;
        wanted.site_line = from->at[i].site_line;
    }
    inverted.last = wanted.parent;
    return inverted;
}

/* Cells belong to inverted contexts from here on. */
static void cells_invert(struct context_cells *cells, const struct inverted *inverted)
{
    size_t kept = 0;
    for (size_t i = 0; i < cells->n; i++) {
        struct context_cell cell = cells->at[i];
        const struct inverted *leaf = &inverted[cell.end];
        cell.self = cell.beside ? CONTEXT_NONE : leaf->first;
        cell.end = leaf->last;
        if (cell.end != CONTEXT_NONE)
            cells->at[kept++] = cell;
    }
    cells->n = kept;
}

/* How many contexts the inverted tree has at most: every leaf has all its callers below it. */
static uint64_t inverted_most(const struct calling_contexts *contexts)
{
    uint32_t *depth = mem_alloc((contexts->n + 1) * sizeof *depth);
    bool *counted = mem_alloc(contexts->n + 1);
    uint64_t most = 0;
    for (size_t i = 0; i < contexts->n; i++) {
        uint32_t parent = contexts->at[i].parent;
        depth[i] = parent == CONTEXT_NONE ? 1 : depth[parent] + 1;
    }
    for (size_t i = 0; i < contexts->cells.n; i++) {
        uint32_t leaf = contexts->cells.at[i].end;
        most += counted[leaf] ? 0 : depth[leaf];
        counted[leaf] = true;
    }
    mem_free(depth);
    mem_free(counted);
    return most;
}

void contexts_invert(struct calling_contexts *contexts)
{
    enum { INVERTED_MAX = 20000000 }; /* 3 GB */
    tree_grow(contexts);
    if (inverted_most(contexts) > INVERTED_MAX) {
        contexts->too_many = inverted_most(contexts);
        contexts->n = contexts->cells.n = 0;
        return;
    }
    struct calling_contexts from = *contexts;
    struct tree tree = {.contexts = contexts};
    struct inverted *inverted = mem_alloc((from.n + 1) * sizeof *inverted);
    contexts->at = NULL;
    contexts->n = contexts->room = 0;
    map_init(&tree.keys, sizeof(struct context_key));
    for (size_t i = 0; i < contexts->cells.n; i++)
        inverted[contexts->cells.at[i].end].weighs = true;
    for (uint32_t i = 0; i < from.n; i++)
        if (inverted[i].weighs)
            inverted[i] = leaf_invert(&tree, &from, i);
    cells_invert(&contexts->cells, inverted);
    map_release(&tree.keys);
    mem_free(inverted);
    vec_release(&from);
    cells_sum(contexts);
}

/* ---- groups of those that are shown */

static struct groups *groups_new(struct calling_contexts *contexts)
{
    return arena_alloc(&contexts->groups, sizeof(struct groups));
}

static void context_weigh(struct calling_contexts *contexts, struct calling_context *context)
{
    context->self.groups = groups_new(contexts);
    context->total.groups = groups_new(contexts);
    context->beside.groups = groups_new(contexts);
}

static void kernel_weigh(struct calling_context *context)
{
    groups_add(context->self.groups, 0, context->self.sum);
    groups_add(context->total.groups, 0, context->total.sum);
    groups_add(context->beside.groups, 0, context->beside.sum);
}

void contexts_add_kernel(struct calling_contexts *contexts)
{
    const struct plain *plain = contexts->plain;
    uint64_t kernel_ns = plain->profile->totals.kernel_ns;
    if (!contexts->options.both || plain->beside_whole || !kernel_ns || contexts->wanted ||
        contexts->options.module || plain->filter.pid || plain->filter.tid ||
        plain_counts_events(plain->profile))
        return;
    uint64_t weight = (uint64_t)((double)kernel_ns * contexts->kernel_unit + 0.5);
    struct calling_context *context = vec_push(contexts);
    *context = (struct calling_context){.parent = CONTEXT_NONE,
                                        .function = CONTEXT_KERNEL,
                                        .site_module = MODULE_NONE,
                                        .self = {.sum = weight},
                                        .total = {.sum = weight},
                                        .beside = {.sum = kernel_ns}};
    groups_add(&contexts->whole, 0, weight);
    groups_add(&contexts->beside, 0, kernel_ns);
    if (contexts->options.form == CONTEXTS_FLAT) {
        context_weigh(contexts, context);
        kernel_weigh(context);
    }
}

/* What is below a context, to its caller. */
static void totals_merge(struct calling_contexts *contexts, const struct calling_context *context)
{
    if (context->parent == CONTEXT_NONE)
        return;
    struct calling_context *parent = &contexts->at[context->parent];
    groups_merge(parent->total.groups, context->total.groups);
    groups_merge(parent->beside.groups, context->beside.groups);
}

void contexts_weigh(struct calling_contexts *contexts, const uint32_t *which, size_t n)
{
    const struct plain *plain = contexts->plain;
    if (contexts->options.form == CONTEXTS_FLAT)
        return;
    for (size_t i = 0; i < (which ? n : contexts->n); i++) {
        struct calling_context *context = &contexts->at[which ? which[i] : i];
        context_weigh(contexts, context);
        if (context->function == CONTEXT_KERNEL)
            kernel_weigh(context);
    }
    for (size_t i = 0; i < contexts->cells.n; i++) {
        const struct context_cell *cell = &contexts->cells.at[i];
        struct part part = part_of(contexts, cell->cell);
        uint32_t end = cell->end;
        while (end != CONTEXT_NONE && !contexts->at[end].total.groups)
            end = contexts->at[end].parent;
        if (end == CONTEXT_NONE)
            continue;
        struct calling_context *to = &contexts->at[end];
        part_add(plain, &part, to->total.groups, to->beside.groups);
        if (cell->self != CONTEXT_NONE && contexts->at[cell->self].self.groups)
            plain_add(plain, contexts->at[cell->self].self.groups, part.group, part.weight);
    }
    for (size_t i = contexts->n; i-- > 0;)
        if (contexts->at[i].total.groups)
            totals_merge(contexts, &contexts->at[i]);
}

/* ---- flat */

/* Each function once, however often it recurs: `stamps` has, for each, the last part that it got.
 */
static void part_list(struct calling_contexts *contexts, const struct part *part, uint32_t *stamps,
                      uint32_t stamp)
{
    const struct context_frames *frames = &contexts->frames;
    bool innermost = true;
    for (uint32_t node = part->node; node != STACK_NONE; node = contexts->plain->parent_of[node])
        for (uint32_t k = frames->first_of[node + 1]; k-- > frames->first_of[node];) {
            struct calling_context *to = &contexts->at[frames->list.at[k].function];
            if (innermost && !part->beside)
                plain_add(contexts->plain, to->self.groups, part->group, part->weight);
            innermost = false;
            if (stamps[frames->list.at[k].function] == stamp)
                continue;
            stamps[frames->list.at[k].function] = stamp;
            part_add(contexts->plain, part, to->total.groups, to->beside.groups);
        }
}

/* Pairs of functions of which the one calls the other, each once. */
static void callers_count(struct calling_contexts *contexts)
{
    const struct context_frames *frames = &contexts->frames;
    const struct plain *plain = contexts->plain;
    struct map pairs;
    map_init(&pairs, 2 * sizeof(uint32_t));
    for (uint32_t node = 0; node < plain->profile->stacks.nodes.n; node++) {
        uint32_t first = frames->first_of[node];
        if (plain->parent_of[node] == STACK_NONE || !(plain->flags[node] & PLAIN_KEPT))
            continue;
        uint32_t end = frames->first_of[plain->parent_of[node] + 1];
        bool called = plain->function_of[plain->parent_of[node]] != PLAIN_NONE;
        for (uint32_t k = first; k < frames->first_of[node + 1]; k++) {
            if (k == first && !called)
                continue;
            uint32_t pair[2] = {frames->list.at[k].function,
                                frames->list.at[k == first ? end - 1 : k - 1].function};
            uint32_t known = pairs.n;
            if (pair[0] == pair[1])
                contexts->at[pair[0]].recursive = true;
            else if (map_add(&pairs, pair) == known)
                contexts->at[pair[0]].callers++;
        }
    }
    map_release(&pairs);
}

/* Recursion is folded in exact recordings, so the tree has a part of what is below a function that
 * is called from inside of a recursion. Costs of calls have all. */
static void inclusive_take(struct calling_contexts *contexts)
{
    const struct plain *plain = contexts->plain;
    bool filtered =
        contexts->wanted || contexts->options.module || plain->filter.pid || plain->filter.tid;
    if (!plain->profile->call_costs.cells.n || filtered)
        return;
    struct inclusive inclusive;
    inclusive_make(&inclusive, plain->scene, plain->side);
    for (size_t i = 0; i < contexts->n; i++) {
        struct calling_context *context = &contexts->at[i];
        const struct context_function *function = &contexts->frames.functions.at[context->function];
        uint64_t *total = &context->total.groups->at[STACK_INSTRUCTIONS], found;
        if (inclusive_find(&inclusive, function->module, function->start, &found) && found > *total)
            *total = found;
    }
    inclusive_release(&inclusive);
}

void contexts_list(struct calling_contexts *contexts)
{
    uint32_t functions = (uint32_t)contexts->frames.functions.n;
    for (uint32_t i = 0; i < functions; i++) {
        *vec_push(contexts) = (struct calling_context){
            .parent = CONTEXT_NONE, .function = i, .site_module = MODULE_NONE};
        context_weigh(contexts, &contexts->at[i]);
    }
    uint32_t *stamps = mem_alloc((functions + 1) * sizeof *stamps);
    struct part part;
    for (uint32_t i = 0; i < contexts->plain->profile->stacks.cells.n; i++)
        if (part_take(contexts, i, &part))
            part_list(contexts, &part, stamps, i + 1);
    mem_free(stamps);
    for (uint32_t i = 0; i < functions; i++) {
        struct calling_context *context = &contexts->at[i];
        context->self.sum = context->self.groups->sum;
        context->total.sum = context->total.groups->sum;
        context->beside.sum = context->beside.groups->sum;
    }
    inclusive_take(contexts);
    callers_count(contexts);
}
