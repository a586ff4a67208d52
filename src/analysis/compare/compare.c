#include "analysis/compare/compare.h"

#include "analysis/paths/items_paths.h"

#include <math.h>
#include <stdlib.h>

struct builder {
    struct comparison *comparison;
    const struct scene *scene;
    struct items items;
    enum item_by by;
    enum weight weight;
    double totals[SIDES_MAX];
};

static const struct quantity *item_quantity(const struct builder *builder, const struct item *item,
                                            uint32_t side)
{
    bool body =
        builder->by == BY_FUNCTION || builder->by == BY_PATH || builder->weight == WEIGHT_TIME;
    return body && builder->by != BY_EDGE ? &item->body[side] : &item->count[side];
}

static double item_weight(const struct builder *builder, const struct item *item, uint32_t side)
{
    const struct quantity *quantity = item_quantity(builder, item, side);
    return (double)(builder->weight == WEIGHT_TIME ? quantity->time : quantity->count);
}

/* A branch to what follows it has two edges between the same addresses: one key. */
static void items_merge(struct items *items)
{
    size_t kept = 0;
    for (size_t i = 0; i < items->n; i++) {
        struct item *before = kept ? &items->at[kept - 1] : NULL;
        const struct item *item = &items->at[i];
        if (!before || before->module != item->module || before->at != item->at ||
            before->to_module != item->to_module || before->to != item->to) {
            items->at[kept++] = *item;
            continue;
        }
        for (int side = 0; side < SIDES_MAX; side++) {
            quantity_add(&before->count[side], &item->count[side]);
            quantity_add(&before->body[side], &item->body[side]);
        }
    }
    items->n = kept;
}

static bool item_covered(const struct builder *builder, const struct item *item)
{
    bool time = builder->weight == WEIGHT_TIME;
    struct estimate truth =
        estimate_share(builder->scene->sides[TRUTH], item_quantity(builder, item, TRUTH), time);
    struct estimate other =
        estimate_share(builder->scene->sides[OTHER], item_quantity(builder, item, OTHER), time);
    /* Equal integers over equal totals must not differ by the last bit. */
    double slack = 1e-12 * truth.value;
    /* An interval that is not known excludes nothing. */
    return !(other.lo > truth.value + slack) && !(truth.value - slack > other.hi);
}

static void item_count(struct builder *builder, const struct item *item, uint64_t *both,
                       uint64_t *covered)
{
    struct comparison *comparison = builder->comparison;
    double weights[SIDES_MAX], shares[SIDES_MAX];
    for (uint32_t side = 0; side < SIDES_MAX; side++) {
        weights[side] = item_weight(builder, item, side);
        shares[side] = builder->totals[side] > 0 ? weights[side] / builder->totals[side] : 0;
    }
    if (weights[TRUTH] <= 0 && weights[OTHER] <= 0)
        return;
    comparison->keys++;
    comparison->overlap += fmin(shares[TRUTH], shares[OTHER]);
    if (weights[TRUTH] > 0 && weights[OTHER] > 0) {
        comparison->matched[TRUTH] += shares[TRUTH];
        comparison->matched[OTHER] += shares[OTHER];
        ++*both;
        *covered += item_covered(builder, item);
    }
    *vec_push(&comparison->differences) = (struct difference){
        .module = item->module,
        .to_module = item->to_module,
        .function = item->function,
        .at = item->at,
        .to = item->to,
        .shares = {shares[TRUTH], shares[OTHER]},
    };
}

static int difference_order(const void *a, const void *b)
{
    const struct difference *x = a, *y = b;
    double x_size = fabs(x->shares[TRUTH] - x->shares[OTHER]);
    double y_size = fabs(y->shares[TRUTH] - y->shares[OTHER]);
    if (x_size != y_size)
        return x_size > y_size ? -1 : 1;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

void compare_sides(struct comparison *comparison, struct scene *scene, enum item_by by,
                   enum weight weight)
{
    *comparison = (struct comparison){.by = by, .weight = weight};
    struct builder builder = {.comparison = comparison, .scene = scene, .by = by, .weight = weight};
    if (by == BY_PATH)
        items_list_paths(&builder.items, scene);
    else
        items_list(&builder.items, scene, by);
    items_merge(&builder.items);
    comparison->stray = builder.items.stray;
    for (size_t i = 0; i < builder.items.n; i++)
        for (uint32_t side = 0; side < SIDES_MAX; side++)
            builder.totals[side] += item_weight(&builder, &builder.items.at[i], side);
    uint64_t both = 0, covered = 0;
    for (size_t i = 0; i < builder.items.n; i++)
        item_count(&builder, &builder.items.at[i], &both, &covered);
    const struct profile *other = scene->sides[OTHER];
    bool known = other->mode == PROFILE_EXACT || other->totals.batches >= 2; /* one has no spread */
    comparison->coverage = both && known ? (double)covered / (double)both : (double)NAN;
    struct differences *differences = &comparison->differences;
    if (differences->n)
        qsort(differences->at, differences->n, sizeof *differences->at, difference_order);
    items_release(&builder.items);
}

void comparison_release(struct comparison *comparison)
{
    vec_release(&comparison->differences);
}
