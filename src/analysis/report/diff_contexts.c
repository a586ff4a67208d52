#include "analysis/report/diff_contexts.h"

#include "analysis/report/diff_names.h"
#include "base/err.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* No padding: compared by bytes. */
struct joined_key {
    uint32_t parent, pair, name, inlined;
};

struct joining {
    struct diff_contexts *to;
    struct map keys;
    uint32_t *pair_of[SIDES_MAX]; /* module of the scene -> pair */
};

/* A function's name that both builds have, if any. */
static const char *name_of(struct joining *joining, int side, const struct calling_contexts *from,
                           const struct calling_context *context, uint32_t *ret_pair)
{
    struct diff *diff = &joining->to->diff;
    *ret_pair = MODULE_NONE;
    if (context->function == CONTEXT_THREAD)
        return "[thread]";
    const struct context_function *function = &from->frames.functions.at[context->function];
    if (function->module < diff->scenes[side]->modules.n)
        *ret_pair = joining->pair_of[side][function->module];
    bool nameless = scene_nameless(function->name);
    if (nameless && *ret_pair != MODULE_NONE && !diff->modules.at[*ret_pair].same_build)
        return "[without names]";
    return diff_base_name(&diff->arena, function->name);
}

static void side_join(struct joining *joining, int side, const struct calling_contexts *from)
{
    struct diff_contexts *to = joining->to;
    uint32_t *joined = mem_alloc((from->n + 1) * sizeof *joined);
    for (size_t i = 0; i < from->n; i++) {
        const struct calling_context *context = &from->at[i];
        uint32_t pair;
        const char *name = name_of(joining, side, from, context, &pair);
        bool thread = context->function == CONTEXT_THREAD;
        bool inlined = !thread && from->frames.functions.at[context->function].inlined;
        struct joined_key key = {
            .parent = context->parent == CONTEXT_NONE ? CONTEXT_NONE : joined[context->parent],
            .pair = pair,
            .name = intern_number(&to->diff.names, name),
            .inlined = inlined};
        joined[i] = map_add(&joining->keys, &key);
        if (joined[i] == to->n)
            *vec_push(to) = (struct diff_context){
                .parent = key.parent,
                .pair = pair,
                .name = intern_text(&to->diff.names, name),
                .inlined = inlined,
                .kernel = !thread && from->frames.functions.at[context->function].kernel};
        struct diff_context *sum = &to->at[joined[i]];
        /* A context inside of another of the same name is part of its total. */
        groups_merge(&sum->total[side], context->total.groups);
        groups_merge(&sum->self[side], context->self.groups);
    }
    mem_free(joined);
}

static bool side_add(struct joining *joining, int side, struct err *err)
{
    struct scene *scene = joining->to->diff.scenes[side];
    struct plain *plain = &joining->to->plains[side];
    struct calling_contexts contexts;
    if (!plain_open(plain, scene, 0, (struct plain_filter){0}, err))
        return false;
    contexts_make(&contexts, plain,
                  (struct contexts_options){.no_inlines = plain->profile->mode == PROFILE_EXACT});
    contexts_weigh(&contexts, NULL, 0);
    side_join(joining, side, &contexts);
    contexts_release(&contexts);
    return true;
}

/* ---- what changed */

static void context_judge(struct diff_contexts *contexts, struct diff_context *context)
{
    for (int side = 0; side < SIDES_MAX; side++) {
        const struct plain *plain = &contexts->plains[side];
        context->amount[side] = plain_total_amount(plain, &context->total[side]);
        context->share[side] = plain_total_share(plain, &context->total[side]);
        context->self_share[side] = plain_share(plain, &context->self[side]);
    }
    context->change = diff_change_of(context->amount);
    context->share_change = diff_change_of(context->share);
}

static void all_judge(struct diff_contexts *contexts)
{
    bool exact = contexts->plains[BEFORE].profile->mode == PROFILE_EXACT;
    double widen = !exact && contexts->n ? diff_widening(contexts->n, STACK_GROUPS - 1) : 1;
    contexts->diff.exact = exact;
    for (size_t i = 0; i < contexts->n; i++) {
        struct diff_context *context = &contexts->at[i];
        context_judge(contexts, context);
        context->beyond = diff_excludes_zero(context->change, 1);
        context->sure = diff_excludes_zero(context->change, widen);
        context->share_sure = diff_excludes_zero(context->share_change, widen);
    }
    for (int side = 0; side < SIDES_MAX; side++)
        contexts->diff.totals[side] =
            plain_amount(&contexts->plains[side], &contexts->plains[side].kept).value;
}

/* ---- order */

struct ranked {
    double share;
    uint32_t context;
};

static int ranked_order(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->share != y->share)
        return x->share > y->share ? -1 : 1;
    return x->context < y->context ? -1 : x->context > y->context;
}

/* Those that weigh anything, from the heaviest on; parents are numbers among these. */
static void put_in_order(struct diff_contexts *contexts)
{
    struct ranked *ranked = mem_alloc((contexts->n + 1) * sizeof *ranked);
    uint32_t *becomes = mem_alloc((contexts->n + 1) * sizeof *becomes), n = 0;
    for (uint32_t i = 0; i < contexts->n; i++) {
        const struct diff_context *context = &contexts->at[i];
        if (context->total[BEFORE].sum || context->total[AFTER].sum)
            ranked[n++] =
                (struct ranked){fmax(context->share[BEFORE].value, context->share[AFTER].value), i};
    }
    qsort(ranked, n, sizeof *ranked, ranked_order);
    struct diff_context *ordered = mem_alloc((n + 1) * sizeof *ordered);
    for (uint32_t i = 0; i < n; i++)
        becomes[ranked[i].context] = i;
    for (uint32_t i = 0; i < n; i++) {
        ordered[i] = contexts->at[ranked[i].context];
        if (ordered[i].parent == CONTEXT_NONE)
            continue;
        ordered[i].parent = becomes[ordered[i].parent];
        ordered[ordered[i].parent].children++;
    }
    mem_free(contexts->at);
    contexts->at = ordered;
    contexts->n = contexts->room = n;
    mem_free(ranked);
    mem_free(becomes);
}

static bool comparable(const struct scene *before, const struct scene *after, struct err *err)
{
    const struct profile *x = before->sides[0], *y = after->sides[0];
    if (!stacks_have_callers(&x->stacks) || !stacks_have_callers(&y->stacks))
        return err_set(err, ERR_FORMAT, "%s has no stacks; gait record -- COMMAND keeps them",
                       stacks_have_callers(&x->stacks) ? "the second recording"
                                                       : "the first recording");
    if ((x->mode == PROFILE_EXACT) != (y->mode == PROFILE_EXACT) ||
        plain_counts_events(x) != plain_counts_events(y))
        return err_set(err, ERR_FORMAT,
                       "one recording has times and the other has counts: contexts of the two "
                       "cannot be compared");
    return true;
}

bool diff_contexts_make(struct diff_contexts *contexts, struct scene *before, struct scene *after,
                        struct err *err)
{
    struct joining joining = {.to = contexts};
    *contexts = (struct diff_contexts){.diff = {.scenes = {before, after}}};
    if (!comparable(before, after, err))
        return false;
    intern_init(&contexts->diff.names);
    intern_init(&contexts->diff.files);
    map_init(&joining.keys, sizeof(struct joined_key));
    diff_pair_modules(&contexts->diff, joining.pair_of, NULL);
    contexts->diff.weight = before->sides[0]->mode == PROFILE_EXACT ? WEIGHT_COUNT : WEIGHT_TIME;
    contexts->diff.same_build = diff_same_build(&contexts->diff);
    bool ok = side_add(&joining, BEFORE, err) && side_add(&joining, AFTER, err);
    if (ok) {
        all_judge(contexts);
        put_in_order(contexts);
    }
    map_release(&joining.keys);
    for (int side = 0; side < SIDES_MAX; side++)
        mem_free(joining.pair_of[side]);
    if (!ok)
        diff_contexts_release(contexts);
    return ok;
}

void diff_contexts_release(struct diff_contexts *contexts)
{
    for (int side = 0; side < SIDES_MAX; side++)
        if (contexts->plains[side].scene)
            plain_close(&contexts->plains[side]);
    diff_release(&contexts->diff);
    vec_release(contexts);
}
