#include "analysis/report/relatives.h"

#include "analysis/counts/code_owner.h"
#include "analysis/report/stub_targets.h"
#include "base/err.h"
#include "profile/sums.h"
#include "program/names/match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* No padding: compared by bytes. */
struct relative_key {
    uint32_t module, itself;
    uint64_t name, at;
};

struct finder {
    struct relatives *relatives;
    struct map keys, found;
};

static struct relative *relative_at(struct finder *finder, const struct relative *wanted)
{
    struct relative_key key = {.module = wanted->module,
                               .itself = wanted->itself,
                               .name = (uintptr_t)wanted->name,
                               .at = wanted->at};
    uint32_t i = map_add(&finder->keys, &key);
    if (i == finder->relatives->n)
        *vec_push(finder->relatives) = *wanted;
    return &finder->relatives->at[i];
}

static bool is_meant(struct finder *finder, uint32_t module, const char *name, uint64_t at)
{
    struct relatives *relatives = finder->relatives;
    if (!name || !name_matches(relatives->pattern, name, scene_readable(relatives->scene, name)))
        return false;
    if (!relatives->found)
        relatives->found = name;
    map_add(&finder->found, (uint64_t[]){module, at});
    relatives->n_found = finder->found.n;
    return true;
}

/* ---- stacks */

/* Of a stack: the function that stands beside the one that is meant; PLAIN_NONE: none is known.
 * False: the function is not on it. */
static bool beside_find(const struct relatives *relatives, const bool *meant, uint32_t leaf,
                        uint32_t *ret_function, bool *ret_itself)
{
    const struct plain *plain = &relatives->plain;
    uint32_t inner = PLAIN_NONE;
    bool found = false;
    for (uint32_t node = leaf; node != STACK_NONE; node = plain->parent_of[node]) {
        uint32_t function = plain->function_of[node];
        if (function != PLAIN_NONE && meant[function]) {
            uint32_t parent = plain->parent_of[node];
            bool callers = relatives->relation == CALLERS;
            *ret_itself = !callers && inner == PLAIN_NONE;
            *ret_function = !callers               ? inner
                            : parent == STACK_NONE ? PLAIN_NONE
                                                   : plain->function_of[parent];
            found = true;
            if (!callers)
                return true;
        }
        inner = function;
    }
    return found;
}

static bool *functions_meant(struct finder *finder)
{
    const struct plain *plain = &finder->relatives->plain;
    bool *meant = mem_alloc((plain->functions.n + 1) * sizeof *meant);
    for (size_t i = 0; i < plain->functions.n; i++) {
        const struct plain_function *function = &plain->functions.at[i];
        meant[i] = is_meant(finder, function->module, function->name, function->start);
    }
    return meant;
}

static struct relative relative_of(const struct relatives *relatives, uint32_t function,
                                   bool itself)
{
    const struct plain *plain = &relatives->plain;
    if (itself || function == PLAIN_NONE)
        return (struct relative){.module = MODULE_NONE, .itself = itself};
    const struct plain_function *of = &plain->functions.at[function];
    const struct scene_modules *modules = &relatives->scene->modules;
    return (struct relative){.module = of->module,
                             .name = of->name,
                             .at = of->start,
                             .kernel = of->module < modules->n &&
                                       !strcmp(modules->at[of->module].name, "[kernel]")};
}

static void stacks_relate(struct finder *finder)
{
    struct relatives *relatives = finder->relatives;
    const struct plain *plain = &relatives->plain;
    const struct stacks *stacks = &plain->profile->stacks;
    bool *meant = functions_meant(finder), itself;
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        const struct stack_cell *cell = map_key(&stacks->cells, i);
        bool kernel = plain->flags[cell->node] & PLAIN_KERNEL;
        uint32_t function;
        if (!beside_find(relatives, meant, cell->node, &function, &itself))
            continue;
        struct relative wanted = relative_of(relatives, function, itself);
        struct relative *to = relative_at(finder, &wanted);
        uint64_t weight = stacks->weights.at[i];
        groups_add(kernel ? &to->beside : &to->user, cell->group, weight);
        groups_add(kernel ? &relatives->all.beside : &relatives->all.user, cell->group, weight);
    }
    mem_free(meant);
    relatives->user_s = plain_amount(plain, &plain->kept).value;
    relatives->kernel_s = plain_beside(plain, &plain->beside);
}

/* ---- exact counts */

struct call_end {
    uint32_t module;
    const char *name;
    uint64_t start;
};

static struct call_end end_at(const struct relatives *relatives, uint32_t module, uint64_t at)
{
    struct code_owner code = code_owner_find(relatives->scene, 0, module, at);
    return (struct call_end){code.module, code.linkage, code.start};
}

static void call_relate(struct finder *finder, struct call_end from, struct call_end to,
                        uint64_t calls, uint64_t instructions)
{
    struct relatives *relatives = finder->relatives;
    bool callers = relatives->relation == CALLERS;
    const struct call_end *of = callers ? &to : &from, *other = callers ? &from : &to;
    if (!is_meant(finder, of->module, of->name, of->start))
        return;
    struct relative *row = relative_at(
        finder,
        &(struct relative){.module = other->module, .name = other->name, .at = other->start});
    sum_add(&row->calls, calls);
    sum_add(&row->instructions, instructions);
    sum_add(&relatives->all.calls, calls);
    sum_add(&relatives->all.instructions, instructions);
}

static uint64_t weight_of(const struct stacks *stacks, uint32_t node, uint32_t group)
{
    struct stack_cell key = {.node = node, .group = group};
    uint32_t at = map_find(&stacks->cells, &key);
    return at == MAP_NONE ? 0 : stacks->weights.at[at];
}

static void trace_relate(struct finder *finder)
{
    const struct relatives *relatives = finder->relatives;
    const struct stacks *costs = &relatives->scene->sides[0]->call_costs;
    for (uint32_t node = 0; node < costs->nodes.n; node++) {
        struct stack_key key = stacks_key(costs, node), site = {0};
        uint64_t calls = weight_of(costs, node, STACK_CALLS);
        uint64_t instructions = weight_of(costs, node, STACK_INSTRUCTIONS);
        if (key.parent == STACK_NONE || !(calls | instructions))
            continue;
        struct call_end from = {.module = MODULE_NONE};
        site = stacks_key(costs, key.parent);
        if (site.parent != STACK_NONE)
            from = end_at(relatives, site.module, site.address);
        call_relate(finder, from, end_at(relatives, key.module, key.address), calls, instructions);
    }
}

/* Of all calls, without a trace. What is called by a stub of the PLT is called by the stub's
 * caller. */
static void counts_relate(struct finder *finder)
{
    struct scene *scene = finder->relatives->scene;
    struct items items;
    struct stub_targets stubs;
    items_list(&items, scene, BY_CALL);
    stub_targets_find(&stubs, scene, 0);
    for (size_t i = 0; i < items.n; i++) {
        const struct item *item = &items.at[i];
        if (stub_target(&stubs, item->module, item->function))
            continue;
        function_id target = scene_function_at(scene, item->to_module, item->to);
        const struct stub_target *by_stub = stub_target(&stubs, item->to_module, target);
        struct call_end from = {item->module,
                                scene_function_name(scene, item->module, item->function), 0};
        struct call_end to = {item->to_module, scene_function_name(scene, item->to_module, target),
                              item->to};
        if (by_stub) {
            target = scene_function_at(scene, by_stub->module, by_stub->at);
            to = (struct call_end){
                by_stub->module, scene_function_name(scene, by_stub->module, target), by_stub->at};
        }
        const struct binary *binary = scene_binary(scene, item->module);
        if (binary && item->function != FUNCTION_NONE)
            from.start = binary->symbols.functions.at[item->function].start.v;
        call_relate(finder, from, to, item->count[0].count, 0);
    }
    stub_targets_release(&stubs);
    items_release(&items);
}

/* What all calls of the function cost. Its parts may be less, since a callee that runs already has
 * its cost where it began; and more, as they may be parts of each other. */
static uint64_t whole_cost(struct finder *finder, uint64_t parts)
{
    const struct relatives *relatives = finder->relatives;
    const struct stacks *costs = &relatives->scene->sides[0]->call_costs;
    uint64_t sum = 0;
    for (uint32_t node = 0; node < costs->nodes.n; node++) {
        struct stack_key key = stacks_key(costs, node);
        uint64_t instructions = weight_of(costs, node, STACK_INSTRUCTIONS);
        if (key.parent == STACK_NONE || !instructions)
            continue;
        struct call_end to = end_at(relatives, key.module, key.address);
        if (is_meant(finder, to.module, to.name, to.start))
            sum_add(&sum, instructions);
    }
    return sum ? sum : parts;
}

/* Code of the function itself: what is left of its cost. Only a trace knows that. */
static void itself_add(struct finder *finder)
{
    struct relatives *relatives = finder->relatives;
    const struct profile *profile = relatives->scene->sides[0];
    uint64_t own = 0;
    if (relatives->relation != CALLEES || !relatives->traced || !relatives->found)
        return;
    for (uint32_t i = 0; i < profile->ranges.n; i++) {
        const struct range_key *key = map_key(&profile->ranges.keys, i);
        struct call_end of = end_at(relatives, key->module, key->start.v);
        if (of.name && is_meant(finder, of.module, of.name, of.start))
            sum_add(&own, profile->ranges.at[i].count * key->instructions);
    }
    struct relative *row =
        relative_at(finder, &(struct relative){.module = MODULE_NONE, .itself = true});
    row->instructions = own;
    sum_add(&relatives->all.instructions, own);
    relatives->all.instructions = whole_cost(finder, relatives->all.instructions);
}

/* ---- figures */

static double part(uint64_t of, uint64_t whole)
{
    return whole ? (double)of / (double)whole : 0;
}

static double seconds_of(const struct relatives *relatives, const struct relative *relative)
{
    return relative_user(relatives, relative) + relative_kernel(relatives, relative);
}

double relative_user(const struct relatives *relatives, const struct relative *relative)
{
    return relatives->user_s * part(relative->user.sum, relatives->plain.kept.sum);
}

double relative_kernel(const struct relatives *relatives, const struct relative *relative)
{
    return relatives->kernel_s * part(relative->beside.sum, relatives->plain.beside.sum);
}

/* Within user and kernel time each, and weighed by how much of the function's time that is. */
struct estimate relative_share(const struct relatives *relatives, const struct relative *relative)
{
    const struct plain *plain = &relatives->plain;
    if (relatives->exact) {
        double share = relatives->traced ? part(relative->instructions, relatives->all.instructions)
                                         : part(relative->calls, relatives->all.calls);
        return (struct estimate){share, share, share};
    }
    double user = relative_user(relatives, &relatives->all),
           kernel = relative_kernel(relatives, &relatives->all), all = user + kernel;
    struct estimate of_user =
        groups_share(&relative->user, &relatives->all.user, plain->sample_weight);
    struct estimate of_kernel =
        groups_share(&relative->beside, &relatives->all.beside, plain->beside_weight);
    if (!(all > 0))
        return (struct estimate){0, NAN, NAN};
    if (!(user > 0))
        return of_kernel;
    if (!(kernel > 0))
        return of_user;
    double value = (user * of_user.value + kernel * of_kernel.value) / all;
    double below =
        hypot(user * (of_user.value - of_user.lo), kernel * (of_kernel.value - of_kernel.lo));
    double above =
        hypot(user * (of_user.hi - of_user.value), kernel * (of_kernel.hi - of_kernel.value));
    return (struct estimate){value, fmax(0, value - below / all), fmin(1, value + above / all)};
}

struct estimate relative_share_of_all(const struct relatives *relatives,
                                      const struct relative *relative)
{
    double share = part(relative->instructions, relatives->scene->sides[0]->totals.instructions);
    if (!relatives->exact)
        share = seconds_of(relatives, relative) / (relatives->user_s + relatives->kernel_s);
    return (struct estimate){share, share, share};
}

/* ---- all */

static double weight(const struct relatives *relatives, const struct relative *relative)
{
    if (!relatives->exact)
        return seconds_of(relatives, relative);
    return relatives->traced ? (double)relative->instructions : (double)relative->calls;
}

static int heavier_first(const void *a, const void *b, void *context)
{
    const struct relative *x = a, *y = b;
    double one = weight(context, x), other = weight(context, y);
    if (one != other)
        return one > other ? -1 : 1;
    if (x->calls != y->calls)
        return x->calls > y->calls ? -1 : 1;
    int order = strcmp(x->name ? x->name : "", y->name ? y->name : "");
    return order ? order : x->at < y->at ? -1 : x->at > y->at;
}

static bool relate(struct finder *finder, struct err *err)
{
    struct relatives *relatives = finder->relatives;
    const struct profile *profile = relatives->scene->sides[0];
    relatives->exact = profile->mode == PROFILE_EXACT;
    relatives->traced = relatives->exact && profile->call_costs.cells.n;
    if (relatives->traced)
        trace_relate(finder);
    else if (relatives->exact)
        counts_relate(finder);
    else if (profile->mode == PROFILE_SAMPLED && !stacks_have_callers(&profile->stacks))
        return err_set(err, ERR_FORMAT, "no stacks were recorded: --by call shows calls");
    else if (!plain_open(&relatives->plain, relatives->scene, 0, (struct plain_filter){0}, err))
        return false;
    else {
        plain_fold_stubs(&relatives->plain);
        stacks_relate(finder);
    }
    itself_add(finder);
    return true;
}

bool relatives_make(struct relatives *relatives, struct scene *scene, enum relation relation,
                    const char *pattern, struct err *err)
{
    struct finder finder = {.relatives = relatives};
    *relatives = (struct relatives){.scene = scene, .relation = relation, .pattern = pattern};
    map_init(&finder.keys, sizeof(struct relative_key));
    map_init(&finder.found, 2 * sizeof(uint64_t));
    bool good = relate(&finder, err);
    map_release(&finder.keys);
    map_release(&finder.found);
    if (good && !relatives->found) {
        relatives_release(relatives);
        return err_set(err, ERR_MISSING, "no function '%s' was seen to %s; see gait report",
                       pattern, relation == CALLERS ? "be called" : "call another");
    }
    if (good)
        qsort_r(relatives->at, relatives->n, sizeof *relatives->at, heavier_first, relatives);
    return good;
}

void relatives_release(struct relatives *relatives)
{
    if (!relatives->exact)
        plain_close(&relatives->plain);
    vec_release(relatives);
}
