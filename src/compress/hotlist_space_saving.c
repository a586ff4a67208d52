#include "compress/hotlist_kinds.h"

static uint32_t least(const struct hotlist *list)
{
    uint32_t at = 0;
    for (uint32_t i = 1; i < list->n; i++)
        if (list->counts[i] < list->counts[at])
            at = i;
    return at;
}

static void swap_errors(struct hotlist *list, uint32_t from, uint32_t to)
{
    uint64_t error = list->errors[from];
    list->errors[from] = list->errors[to];
    list->errors[to] = error;
}

void hotlist_add_other(struct hotlist *list, uint64_t value, uint64_t count)
{
    list->total += count;
    uint32_t i = hotlist_find(list, value);
    if (i < list->n) {
        list->counts[i] += count;
        uint32_t to = hotlist_forward(list, i);
        if (to != i)
            swap_errors(list, i, to);
    } else if (i < HOTLIST_VALUES) {
        list->values[i] = value;
        list->counts[i] = count;
        list->errors[i] = 0;
        list->n++;
    } else {
        i = least(list);
        list->values[i] = value;
        list->errors[i] = list->counts[i];
        list->counts[i] += count;
    }
}

static void insert(struct hotlist *list, uint64_t value, struct random *random)
{
    (void)random;
    hotlist_add(list, value, 1);
}

/* How often anything that is not in the list may have occurred. */
static uint64_t unlisted(const struct hotlist *list)
{
    return list->n < HOTLIST_VALUES ? 0 : list->counts[least(list)];
}

struct sum {
    uint64_t value, count, error;
};

/* The greatest of both, at most HOTLIST_VALUES of them; a full list's other values may have
 * occurred as often as its least. */
static uint32_t keep(struct sum *sums, uint32_t n, struct sum sum)
{
    uint32_t at = n;
    for (; at && (sums[at - 1].count < sum.count ||
                  (sums[at - 1].count == sum.count && sums[at - 1].value > sum.value));
         at--)
        if (at < HOTLIST_VALUES)
            sums[at] = sums[at - 1];
    if (at < HOTLIST_VALUES)
        sums[at] = sum;
    return n < HOTLIST_VALUES ? n + 1 : n;
}

static void merge(struct hotlist *list, const struct hotlist *other, struct random *random)
{
    (void)random;
    struct sum sums[HOTLIST_VALUES];
    uint64_t here = unlisted(list), there = unlisted(other);
    uint32_t n = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        uint32_t j = hotlist_find(other, list->values[i]);
        bool both = j < other->n;
        n = keep(sums, n,
                 (struct sum){list->values[i], list->counts[i] + (both ? other->counts[j] : there),
                              list->errors[i] + (both ? other->errors[j] : there)});
    }
    for (uint32_t j = 0; j < other->n; j++)
        if (hotlist_find(list, other->values[j]) == list->n)
            n = keep(
                sums, n,
                (struct sum){other->values[j], other->counts[j] + here, other->errors[j] + here});
    list->n = n;
    for (uint32_t i = 0; i < n; i++) {
        list->values[i] = sums[i].value;
        list->counts[i] = sums[i].count;
        list->errors[i] = sums[i].error;
    }
}

static void estimate(const struct hotlist *list, uint32_t i, struct hotlist_estimate *estimate)
{
    estimate->hi = list->counts[i];
    estimate->lo = list->counts[i] - list->errors[i];
    /* What was taken over was others' for the most part. */
    estimate->count = estimate->lo;
    estimate->certain = true;
}

const struct hotlist_way hotlist_space_saving = {insert, merge, estimate};
