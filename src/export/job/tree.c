#include "export/job/tree.h"

#include "base/err.h"
#include "profile/sums.h"
#include "analysis/report/context_ticks.h"

#include <stdlib.h>
#include <string.h>

static bool module_matches(const struct profile *profile, uint32_t module, const char *wanted)
{
    if (!wanted)
        return true;
    if (module >= profile->modules.n)
        return false;
    const char *path = profile->modules.at[module].path, *slash = strrchr(path, '/');
    return strcmp(path, wanted) == 0 || (slash && strcmp(slash + 1, wanted) == 0);
}

static bool module_known(const struct profile *profile, const char *wanted)
{
    for (uint32_t i = 0; i < profile->modules.n; i++)
        if (module_matches(profile, i, wanted))
            return true;
    return !wanted;
}

/* ---- weights */

/* What one unit of a node's weight stands for. Kernel time has a scale of its own. */
struct scales {
    double user, kernel;
};

/* Rounded so that they add up; scales of one leave them as they are. */
static void weights_sum(struct tree *tree, struct scales scales)
{
    long double exact = 0.5L;
    for (size_t i = 0; i < tree->n; i++) {
        if (scales.user == 1 && scales.kernel == 1) {
            sum_add(&tree->total, tree->at[i].weight);
            continue;
        }
        bool kernel = profile_module_is_kernel(tree->profile, tree->at[i].module);
        exact += (long double)tree->at[i].weight * (kernel ? scales.kernel : scales.user);
        uint64_t upto = exact < 0x1p64L ? (uint64_t)exact : UINT64_MAX;
        tree->at[i].weight = upto - tree->total;
        tree->total = upto;
    }
}

/* ---- stacks */

static bool thread_matches(struct tree_filter filter, uint64_t thread)
{
    return (!filter.pid || filter.pid == thread >> 32) &&
           (!filter.tid || filter.tid == (uint32_t)thread);
}

static uint64_t kernel_weight(const struct profile *profile)
{
    const struct stacks *stacks = &profile->stacks;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        const struct stack_cell *cell = map_key(&stacks->cells, i);
        if (profile_module_is_kernel(profile, stacks_key(stacks, cell->node).module))
            sum_add(&sum, stacks->weights.at[i]);
    }
    return sum;
}

/* How many nanoseconds, or events, one unit of weight stands for. */
static struct scales stacks_scales(const struct profile *profile)
{
    const struct totals *totals = &profile->totals;
    if (profile->mode != PROFILE_SAMPLED)
        return (struct scales){1, 1};
    double kernel = (double)kernel_weight(profile);
    return (struct scales){totals->sampled_ns ? (double)totals->user_ns / (double)totals->sampled_ns
                                              : 1,
                           kernel > 0 ? (double)totals->kernel_ns / kernel : 1};
}

static bool build_stacks(struct tree *tree, struct tree_filter filter, struct err *err)
{
    const struct stacks *stacks = &tree->profile->stacks;
    bool *kept = mem_alloc(stacks->nodes.n + (size_t)1), any = false;
    struct context_clock clock = context_clock_find(tree->profile);
    for (uint32_t i = 0; i < stacks->nodes.n; i++) {
        struct stack_key key = stacks_key(stacks, i);
        bool root = key.parent == STACK_NONE;
        kept[i] = root ? thread_matches(filter, key.address) : kept[key.parent];
        any |= kept[i];
        *vec_push(tree) =
            (struct tree_node){.parent = key.parent, .module = key.module, .address = key.address};
    }
    uint32_t group = tree->unit == UNIT_TICKS          ? STACK_TICKS
                     : tree->unit == UNIT_INSTRUCTIONS ? STACK_INSTRUCTIONS
                                                       : STACK_CALLS;
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        const struct stack_cell *cell = map_key(&stacks->cells, i);
        struct tree_node *node = &tree->at[cell->node];
        bool wanted = tree->profile->mode != PROFILE_EXACT || cell->group == group;
        if (!wanted || !kept[cell->node] ||
            !module_matches(tree->profile, node->module, filter.module))
            continue;
        sum_add(&node->weight, context_clock_weight(&clock, tree->profile, i));
    }
    mem_free(kept);
    weights_sum(tree, stacks_scales(tree->profile));
    if (!any && stacks->nodes.n)
        return err_set(err, ERR_MISSING, "the profile has no such thread");
    return true;
}

/* ---- instructions */

struct spot {
    uint64_t module, address; /* key */
};

struct spots {
    struct map keys; /* struct spot */
    struct spot_sums {
        VEC(uint64_t);
    } sums;
};

static void spot_add(struct spots *spots, uint32_t module, uint64_t address, uint64_t weight)
{
    struct spot spot = {module, address};
    uint32_t i = map_add(&spots->keys, &spot);
    if (i == spots->sums.n)
        *vec_push(&spots->sums) = 0;
    sum_add(&spots->sums.at[i], weight);
}

/* What does not decode, goes on where control leaves, or has no binary weighs where the range
 * begins: a file may claim anything, and must not cost more than code does. */
static void range_spread(struct spots *spots, const struct image *image,
                         const struct range_key *key, uint64_t weight)
{
    struct instruction instruction = {.at = key->start, .kind = INSTRUCTION_PLAIN};
    uint32_t n = 0;
    while (n < key->instructions && image && instruction.kind == INSTRUCTION_PLAIN &&
           disasm_at(image, instruction.at, &instruction)) {
        spot_add(spots, key->module, instruction.at.v, weight);
        instruction.at = instruction_next(&instruction);
        n++;
    }
    uint64_t rest;
    if (__builtin_mul_overflow(weight, (uint64_t)key->instructions - n, &rest))
        rest = UINT64_MAX;
    if (rest)
        spot_add(spots, key->module, key->start.v, rest);
}

static void spots_collect(struct spots *spots, const struct scene *scene, struct tree_filter filter)
{
    const struct profile *profile = scene->sides[0];
    for (uint32_t i = 0; i < profile->ranges.n; i++) {
        const struct range_key *key = map_key(&profile->ranges.keys, i);
        uint64_t each = profile->ranges.at[i].count;
        if (each && module_matches(profile, key->module, filter.module))
            range_spread(spots, scene_image(scene, 0, key->module), key, each);
    }
}

/* How many executions one unit of a spot's weight stands for. */
static double spots_scale(const struct profile *profile)
{
    const struct quantity one = {.count = UINT32_MAX};
    return estimate_count(profile, &one).value / UINT32_MAX;
}

static int node_compare(const void *a, const void *b)
{
    const struct tree_node *x = a, *y = b;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
}

static void build_instructions(struct tree *tree, const struct scene *scene,
                               struct tree_filter filter)
{
    struct spots spots = {0};
    map_init(&spots.keys, sizeof(struct spot));
    spots_collect(&spots, scene, filter);
    *vec_push(tree) = (struct tree_node){.parent = TREE_NONE, .module = MODULE_NONE};
    for (uint32_t i = 0; i < spots.sums.n; i++) {
        const struct spot *spot = map_key(&spots.keys, i);
        *vec_push(tree) = (struct tree_node){
            .module = (uint32_t)spot->module, .address = spot->address, .weight = spots.sums.at[i]};
    }
    if (tree->n > 2)
        qsort(tree->at + 1, tree->n - 1, sizeof *tree->at, node_compare);
    double scale = tree->profile->mode == PROFILE_EXACT ? 1 : spots_scale(tree->profile);
    weights_sum(tree, (struct scales){scale, scale});
    map_release(&spots.keys);
    vec_release(&spots.sums);
}

/* ---- all */

static bool has_contexts(const struct profile *profile, struct tree_filter filter)
{
    return filter.contexts && profile->mode == PROFILE_EXACT &&
           stacks_have_callers(&profile->stacks);
}

static bool stacks_have(const struct stacks *stacks, uint32_t group)
{
    for (uint32_t i = 0; i < stacks->cells.n; i++)
        if (((const struct stack_cell *)map_key(&stacks->cells, i))->group == group)
            return true;
    return false;
}

static enum tree_unit contexts_unit(const struct stacks *stacks)
{
    return stacks_have(stacks, STACK_TICKS)          ? UNIT_TICKS
           : stacks_have(stacks, STACK_INSTRUCTIONS) ? UNIT_INSTRUCTIONS
                                                     : UNIT_CALLS;
}

static bool wish_possible(const struct profile *profile, enum weight weight,
                          struct tree_filter filter, struct err *err)
{
    if (profile->mode == PROFILE_EXACT && weight == WEIGHT_TIME)
        return err_set(err, ERR_FORMAT, "an exact profile has no times: --weight count");
    if (profile->mode == PROFILE_PLAIN && weight == WEIGHT_COUNT)
        return err_set(err, ERR_FORMAT, "a plain profile counts no executions: --weight time");
    if (weight == WEIGHT_COUNT && (filter.pid || filter.tid) && !has_contexts(profile, filter))
        return err_set(err, ERR_FORMAT, "counts do not tell threads apart%s",
                       profile->mode == PROFILE_SAMPLED ? ": --weight time" : "");
    if (!module_known(profile, filter.module))
        return err_set(err, ERR_MISSING, "the profile has no module %s", filter.module);
    return true;
}

bool tree_build(struct tree *tree, const struct scene *scene, enum weight weight,
                struct tree_filter filter, struct err *err)
{
    const struct profile *profile = scene->sides[0];
    *tree = (struct tree){.profile = profile, .module = filter.module, .unit = UNIT_INSTRUCTIONS};
    if (!wish_possible(profile, weight, filter, err))
        return false;
    if (weight == WEIGHT_TIME)
        tree->unit = profile_fact_find(profile, "event") ? UNIT_EVENTS : UNIT_NANOSECONDS;
    bool contexts = has_contexts(profile, filter);
    if (contexts)
        tree->unit = contexts_unit(&profile->stacks);
    if (weight == WEIGHT_COUNT && !contexts) {
        build_instructions(tree, scene, filter);
        return true;
    }
    if (build_stacks(tree, filter, err))
        return true;
    tree_release(tree);
    return false;
}

bool tree_module_matches(const struct tree *tree, uint32_t module)
{
    return module_matches(tree->profile, module, tree->module);
}

void tree_release(struct tree *tree)
{
    vec_release(tree);
}

const char *tree_unit_name(const struct tree *tree)
{
    switch (tree->unit) {
    case UNIT_INSTRUCTIONS: return "instructions";
    case UNIT_EVENTS: return profile_fact_find(tree->profile, "event");
    case UNIT_CALLS: return "calls";
    case UNIT_TICKS: return "ticks";
    case UNIT_NANOSECONDS: break;
    }
    return "nanoseconds";
}

/* The first word of the command without its folder. */
static const char *program_name(const struct profile *profile, struct arena *arena)
{
    const char *command = profile->command ? profile->command : "";
    command += *command == '\'';
    size_t n = strcspn(command, " '\n"), start = 0;
    for (size_t i = 0; i < n; i++)
        if (command[i] == '/')
            start = i + 1;
    return n > start ? arena_string_n(arena, command + start, n - start) : "[unknown]";
}

const char *tree_thread_name(const struct tree *tree, uint64_t thread, struct arena *arena)
{
    const char *name = NULL;
    if (thread)
        name = threads_name(&tree->profile->threads, (uint32_t)(thread >> 32), (uint32_t)thread);
    return name ? name : program_name(tree->profile, arena);
}
