#include "analysis/report/diff_side.h"

#include "analysis/report/diff_names.h"

#include <stdlib.h>
#include <string.h>

bool diff_side_open(struct diff_side *side, struct scene *scene, enum weight weight,
                    struct err *err)
{
    *side = (struct diff_side){.profile = scene->sides[0], .scene = scene, .weight = weight};
    return side->profile->mode != PROFILE_PLAIN ||
           plain_open(&side->plain, scene, 0, (struct plain_filter){0}, err);
}

void diff_side_close(struct diff_side *side)
{
    if (side->profile->mode == PROFILE_PLAIN)
        plain_close(&side->plain);
    vec_release(side);
}

/* ---- gathering */

/* Functions that nothing names are called by their address, which says nothing of another build. */
static const char *common_name(const struct diff_gathering *gathering, uint32_t pair,
                               function_id function, const char *name)
{
    const struct diff_module *module = &gathering->diff->modules.at[pair];
    if (module->nameless)
        return "[no binary]";
    if (module->same_build)
        return name;
    if (scene_nameless(name) && function != FUNCTION_NONE)
        return "[no symbol]";
    return diff_base_name(&gathering->diff->arena, name);
}

static void part_add(struct diff_side *side, const struct diff_gathering *gathering,
                     struct diff_part part, const char *name)
{
    if (part.module >= side->scene->modules.n)
        return;
    part.pair = gathering->pair_of[part.module];
    if (!gathering->diff->modules.at[part.pair].shown)
        return;
    part.name = intern_number(&gathering->diff->names,
                              common_name(gathering, part.pair, part.function, name));
    *vec_push(side) = part;
}

static bool any_nameless(const struct diff *diff)
{
    for (size_t i = 0; i < diff->modules.n; i++)
        if (diff->modules.at[i].nameless)
            return true;
    return false;
}

/* nameless: of modules that are one row, or of all others. */
static void gather_items(struct diff_side *side, const struct diff_gathering *gathering,
                         enum item_by by, bool nameless)
{
    struct items items;
    items_list(&items, side->scene, by);
    for (size_t i = 0; i < items.n; i++) {
        const struct item *item = &items.at[i];
        uint32_t pair = gathering->pair_of[item->module];
        if (gathering->diff->modules.at[pair].nameless == nameless)
            part_add(side, gathering,
                     (struct diff_part){.module = item->module,
                                        .function = nameless ? FUNCTION_NONE : item->function,
                                        .at = item->at,
                                        .sum.quantity = item->body[0]},
                     scene_function_name(side->scene, item->module, item->function));
    }
    items_release(&items);
}

static void gather_plain(struct diff_side *side, const struct diff_gathering *gathering,
                         bool instructions)
{
    struct plain_rows rows;
    plain_list(&rows, &side->plain, instructions ? BY_INSTRUCTION : BY_FUNCTION);
    for (size_t i = 0; i < rows.n; i++) {
        const struct plain_row *row = &rows.at[i];
        const struct plain_function *function = &side->plain.functions.at[row->function];
        bool nameless = function->module < side->scene->modules.n &&
                        gathering->diff->modules.at[gathering->pair_of[function->module]].nameless;
        if (row->self.sum)
            part_add(side, gathering,
                     (struct diff_part){.module = function->module,
                                        .function = nameless ? FUNCTION_NONE : function->function,
                                        .at = row->at,
                                        .sum.groups = row->self},
                     function->name);
    }
    plain_rows_release(&rows);
}

static int part_order(const void *a, const void *b)
{
    const struct diff_part *x = a, *y = b;
    if (x->pair != y->pair)
        return x->pair < y->pair ? -1 : 1;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

void diff_side_gather(struct diff_side *side, const struct diff_gathering *gathering,
                      bool instructions)
{
    if (side->profile->mode == PROFILE_PLAIN)
        gather_plain(side, gathering, instructions);
    else {
        /* Code without a binary has no instructions to list. */
        gather_items(side, gathering, instructions ? BY_INSTRUCTION : BY_FUNCTION, false);
        if (any_nameless(gathering->diff))
            gather_items(side, gathering, BY_FUNCTION, true);
    }
    if (side->n)
        qsort(side->at, side->n, sizeof *side->at, part_order);
}

/* ---- estimates */

void diff_sum_add(struct diff_sum *sum, const struct diff_sum *more)
{
    quantity_add(&sum->quantity, &more->quantity);
    groups_merge(&sum->groups, &more->groups);
}

bool diff_sum_any(const struct diff_side *side, const struct diff_sum *sum)
{
    if (side->profile->mode == PROFILE_PLAIN)
        return sum->groups.sum;
    return side->weight == WEIGHT_TIME ? sum->quantity.time : sum->quantity.count;
}

struct estimate diff_amount(const struct diff_side *side, const struct diff_sum *sum)
{
    if (side->profile->mode == PROFILE_PLAIN)
        return plain_amount(&side->plain, &sum->groups);
    return side->weight == WEIGHT_TIME ? estimate_time(side->profile, &sum->quantity)
                                       : estimate_count(side->profile, &sum->quantity);
}

struct estimate diff_share(const struct diff_side *side, const struct diff_sum *sum)
{
    if (side->profile->mode == PROFILE_PLAIN)
        return plain_share(&side->plain, &sum->groups);
    return estimate_share(side->profile, &sum->quantity, side->weight == WEIGHT_TIME);
}

double diff_total(const struct diff_side *side)
{
    const struct totals *totals = &side->profile->totals;
    if (side->profile->mode == PROFILE_PLAIN)
        return plain_amount(&side->plain, &side->plain.whole).value;
    if (side->weight == WEIGHT_TIME)
        return (double)totals->user_ns / 1e9;
    if (side->profile->mode == PROFILE_EXACT)
        return (double)totals->instructions;
    struct quantity all = {.count = totals->count};
    return estimate_count(side->profile, &all).value;
}

uint64_t diff_degrees(const struct diff_side *side)
{
    if (side->profile->mode == PROFILE_EXACT)
        return 0;
    if (side->profile->mode == PROFILE_PLAIN)
        return STACK_GROUPS - 1;
    /* Times come from single interrupts, counts from batches of walks. */
    const struct totals *totals = &side->profile->totals;
    uint64_t n = side->weight == WEIGHT_TIME ? totals->samples : totals->batches;
    return n > 1 ? n - 1 : 1;
}
