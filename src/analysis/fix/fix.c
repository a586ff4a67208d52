#include "analysis/fix/fix.h"

#include "analysis/counts/items.h"

#include <stdlib.h>
#include <string.h>

static const double LEAST = 0.001; /* less can bring nothing that shows */

const char *fix_kind_name(enum fix_kind kind)
{
    static const char *const names[FIX_KINDS] = {
        [FIX_BRANCH] = "branch",         [FIX_CALL] = "call", [FIX_INLINE] = "inline",
        [FIX_SPECIALISE] = "specialise", [FIX_LOOP] = "loop", [FIX_PREFETCH] = "prefetch",
        [FIX_PADDING] = "padding"};
    return names[kind];
}

bool fix_kind_find(const char *name, enum fix_kind *ret_kind)
{
    for (int kind = 0; kind < FIX_KINDS; kind++)
        if (!strcmp(name, fix_kind_name((enum fix_kind)kind))) {
            *ret_kind = (enum fix_kind)kind;
            return true;
        }
    return false;
}

bool fixes_want(const struct fixes *fixes, enum fix_kind kind)
{
    return fixes->kinds >> kind & 1;
}

/* ---- what functions weigh: CPU time; in exact recordings, which have none, instructions */

static void weights_make(struct fix_weights *weights, const struct scene *scene)
{
    bool exact = scene->sides[0]->mode == PROFILE_EXACT;
    struct items items;
    map_init(&weights->functions, 2 * sizeof(uint64_t));
    items_list(&items, scene, BY_FUNCTION);
    for (size_t i = 0; i < items.n; i++) {
        const struct item *item = &items.at[i];
        const uint64_t key[] = {item->module, item->function};
        uint32_t n = weights->functions.n, index = map_add(&weights->functions, key);
        double more = (double)(exact ? item->body[0].count : item->body[0].time);
        if (index == n)
            *vec_push(weights) = 0;
        weights->at[index] += more;
        weights->all += more;
    }
    items_release(&items);
}

double fixes_weight(const struct fixes *fixes, uint32_t module, uint64_t at)
{
    const uint64_t key[] = {module, scene_function_at(fixes->scene, module, at)};
    uint32_t index = map_find(&fixes->weights.functions, key);
    if (index == MAP_NONE || !(fixes->weights.all > 0))
        return 0;
    return fixes->weights.at[index] / fixes->weights.all;
}

void fixes_add(struct fixes *fixes, struct fix_row row)
{
    if (row.weight >= LEAST && scene_place_wanted(fixes->scene, row.module, row.at))
        *vec_push(fixes) = row;
}

static int by_weight(const void *a, const void *b)
{
    const struct fix_row *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

void fixes_make(struct fixes *fixes, struct scene *scene, uint32_t kinds)
{
    *fixes = (struct fixes){.scene = scene, .kinds = kinds};
    weights_make(&fixes->weights, scene);
    if (fixes_want(fixes, FIX_BRANCH))
        fixes_branches(fixes);
    if (fixes_want(fixes, FIX_CALL) || fixes_want(fixes, FIX_SPECIALISE))
        fixes_values(fixes);
    if (fixes_want(fixes, FIX_INLINE))
        fixes_inline(fixes);
    if (fixes_want(fixes, FIX_LOOP) || fixes_want(fixes, FIX_PREFETCH))
        fixes_loops(fixes);
    if (fixes_want(fixes, FIX_PADDING))
        fixes_sharing(fixes);
    if (fixes->n)
        qsort(fixes->at, fixes->n, sizeof *fixes->at, by_weight);
}

void fixes_release(struct fixes *fixes)
{
    map_release(&fixes->weights.functions);
    vec_release(&fixes->weights);
    vec_release(fixes);
}
