#include "analysis/report/plain.h"

#include "base/err.h"
#include "profile/sums.h"
#include "analysis/counts/code_owner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- whose code */

uint32_t plain_function_add(struct plain *plain, struct plain_function function)
{
    uint64_t key[2] = {(uint64_t)function.module << 32 | function.function, function.start};
    uint32_t i = map_add(&plain->function_keys, key);
    if (i == plain->functions.n)
        *vec_push(&plain->functions) = function;
    return i;
}

static uint32_t function_at(struct plain *plain, uint32_t module, uint64_t at)
{
    struct code_owner code = code_owner_find(plain->scene, plain->side, module, at);
    bool shown = code.module < plain->scene->modules.n ? plain->scene->modules.at[code.module].shown
                                                       : !plain->scene->only_module;
    return plain_function_add(
        plain, (struct plain_function){
                   .module = code.module,
                   .function = code.function,
                   .start = code.start,
                   .name = code.linkage,
                   .shown = shown && scene_function_wanted(plain->scene, code.module, code.function,
                                                           code.linkage)});
}

static bool thread_matches(struct plain_filter filter, uint64_t thread)
{
    return (!filter.pid || filter.pid == thread >> 32) &&
           (!filter.tid || filter.tid == (uint32_t)thread);
}

static void nodes_resolve(struct plain *plain)
{
    const struct stacks *stacks = &plain->profile->stacks;
    for (uint32_t node = 0; node < stacks->nodes.n; node++) {
        struct stack_key key = stacks_key(stacks, node);
        plain->parent_of[node] = key.parent;
        if (key.parent == STACK_NONE) {
            plain->function_of[node] = PLAIN_NONE;
            plain->flags[node] = thread_matches(plain->filter, key.address) ? PLAIN_KEPT : 0;
            continue;
        }
        ASSERT(key.parent < node);
        plain->flags[node] = plain->flags[key.parent] & PLAIN_KEPT;
        plain->function_of[node] = function_at(plain, key.module, key.address);
        if (profile_module_is_kernel(plain->profile, key.module))
            plain->flags[node] |= PLAIN_KERNEL;
    }
}

/* ---- weights */

static bool cell_weighs(const struct plain *plain, uint32_t node)
{
    return plain->filter.kernel == !!(plain->flags[node] & PLAIN_KERNEL);
}

static uint64_t samples_cut(const struct totals *totals)
{
    return totals->losses[LOSS_stack_truncated] + totals->losses[LOSS_stack_no_rule] +
           totals->losses[LOSS_stack_astray] + totals->losses[LOSS_stack_gone];
}

bool plain_weighs(const struct plain *plain, uint32_t group)
{
    return plain->profile->mode != PROFILE_EXACT || group == STACK_CALLS;
}

void plain_add(const struct plain *plain, struct groups *groups, uint32_t group, uint64_t weight)
{
    (plain_weighs(plain, group) ? groups_add : groups_note)(groups, group, weight);
}

/* Beside an agent's, the kernel's samples are fewer and weigh more. Where both are in what is
 * weighed, the weight is that of equal ones that would tell as much. */
static double sample_weight(const struct plain *plain, const struct groups *every, bool of_kernel)
{
    const struct totals *totals = &plain->profile->totals;
    bool own = of_kernel == plain->filter.kernel;
    double whole = (double)(own ? plain->whole.sum : plain->beside_whole);
    if (plain->profile->mode != PROFILE_SAMPLED)
        return totals->interrupts ? (double)every->sum / (double)totals->interrupts : 0;
    if (of_kernel)
        return totals->kernel_samples
                   ? (whole + (double)totals->bare_ns) / (double)totals->kernel_samples
                   : 0;
    if (totals->sampled_xx && totals->bare_ns)
        return (double)totals->sampled_xx / (double)totals->sampled_ns;
    return totals->samples ? whole / (double)totals->samples : 0;
}

static void weights_sum(struct plain *plain)
{
    const struct stacks *stacks = &plain->profile->stacks;
    struct groups every = {0};
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        const struct stack_cell *cell = map_key(&stacks->cells, i);
        uint64_t weight = stacks->weights.at[i];
        bool kept = plain->flags[cell->node] & PLAIN_KEPT;
        bool weighs = cell_weighs(plain, cell->node);
        plain_add(plain, &every, cell->group, weight);
        if (weighs)
            plain_add(plain, &plain->whole, cell->group, weight);
        else
            sum_add(&plain->beside_whole, weight);
        if (kept)
            plain_add(plain, weighs ? &plain->kept : &plain->beside, cell->group, weight);
    }
    plain->sample_weight = sample_weight(plain, &every, plain->filter.kernel);
    plain->beside_weight = sample_weight(plain, &every, !plain->filter.kernel);
    double cut = (double)samples_cut(&plain->profile->totals) * plain->sample_weight;
    plain->cut = plain->kept.sum ? fmin(cut / (double)plain->kept.sum, 1) : 0;
}

bool plain_counts_events(const struct profile *profile)
{
    const char *event = profile_fact_find(profile, "event");
    if (profile->mode == PROFILE_EXACT) /* calls: wire/node.h */
        return true;
    return event && strcmp(event, "cpu-clock") != 0 && strcmp(event, "task-clock") != 0;
}

struct estimate plain_part(const struct plain *plain, const struct groups *part,
                           const struct groups *whole)
{
    if (plain->profile->mode != PROFILE_EXACT)
        return groups_share(part, whole, plain->sample_weight);
    double share = whole->sum ? (double)part->sum / (double)whole->sum : 0;
    return (struct estimate){share, share, share};
}

struct estimate plain_share(const struct plain *plain, const struct groups *groups)
{
    return plain_part(plain, groups, &plain->kept);
}

struct estimate plain_beside_share(const struct plain *plain, const struct groups *groups)
{
    return groups_share(groups, &plain->beside, plain->beside_weight);
}

/* What a weight of `whole` stands for. */
static double scale_of(const struct plain *plain, bool kernel, uint64_t whole)
{
    const struct totals *totals = &plain->profile->totals;
    uint64_t used_ns = kernel ? totals->kernel_ns : totals->user_ns;
    if (plain_counts_events(plain->profile))
        return 1;
    bool measured = profile_fact_find(plain->profile, "weights");
    return used_ns && whole && !measured ? (double)used_ns / 1e9 / (double)whole : 1e-9;
}

struct estimate plain_amount(const struct plain *plain, const struct groups *groups)
{
    struct estimate share = plain_part(plain, groups, &plain->whole);
    double all = (double)plain->whole.sum * scale_of(plain, plain->filter.kernel, plain->whole.sum);
    return (struct estimate){share.value * all, share.lo * all, share.hi * all};
}

struct estimate plain_total_share(const struct plain *plain, const struct groups *groups)
{
    return estimate_raise(plain_share(plain, groups), plain->cut, 1);
}

struct estimate plain_total_amount(const struct plain *plain, const struct groups *groups)
{
    double kept = plain_amount(plain, &plain->kept).value;
    return estimate_raise(plain_amount(plain, groups), plain->cut * kept, kept);
}

double plain_beside(const struct plain *plain, const struct groups *groups)
{
    return (double)groups->sum * scale_of(plain, !plain->filter.kernel, plain->beside_whole);
}

double plain_beside_unit(const struct plain *plain)
{
    return scale_of(plain, !plain->filter.kernel, plain->beside_whole) /
           scale_of(plain, plain->filter.kernel, plain->whole.sum);
}

/* ---- all */

static bool threads_found(const struct plain *plain)
{
    for (uint32_t node = 0; node < plain->profile->stacks.nodes.n; node++)
        if (plain->parent_of[node] == STACK_NONE && plain->flags[node] & PLAIN_KEPT)
            return true;
    return false;
}

static bool threads_missing(const struct plain *plain, struct err *err)
{
    const struct stacks *stacks = &plain->profile->stacks;
    char list[256] = "";
    size_t used = 0;
    for (uint32_t node = 0; node < stacks->nodes.n && used + 32 < sizeof list; node++)
        if (plain->parent_of[node] == STACK_NONE) {
            uint64_t thread = stacks_key(stacks, node).address;
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%u/%u", used ? ", " : "",
                                     (uint32_t)(thread >> 32), (uint32_t)thread);
        }
    return err_set(err, ERR_MISSING, "no such thread; the profile has (pid/tid) %s%s",
                   used ? list : "none", used + 32 < sizeof list ? "" : " and more");
}

bool plain_open(struct plain *plain, struct scene *scene, uint32_t side, struct plain_filter filter,
                struct err *err)
{
    const struct profile *profile = scene->sides[side];
    uint32_t n = profile->stacks.nodes.n;
    *plain = (struct plain){.scene = scene, .profile = profile, .side = side, .filter = filter};
    plain->function_of = mem_alloc((n + 1) * sizeof *plain->function_of);
    plain->parent_of = mem_alloc((n + 1) * sizeof *plain->parent_of);
    plain->flags = mem_alloc(n + 1);
    map_init(&plain->function_keys, 2 * sizeof(uint64_t));
    nodes_resolve(plain);
    if ((filter.pid || filter.tid) && !threads_found(plain)) {
        threads_missing(plain, err);
        plain_close(plain);
        return false;
    }
    weights_sum(plain);
    return true;
}

void plain_close(struct plain *plain)
{
    mem_free(plain->function_of);
    mem_free(plain->parent_of);
    mem_free(plain->flags);
    map_release(&plain->function_keys);
    vec_release(&plain->functions);
}
