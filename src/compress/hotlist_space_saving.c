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
    } else if (i < list->most) {
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

static void estimate(const struct hotlist *list, uint32_t i, struct hotlist_estimate *estimate)
{
    estimate->hi = list->counts[i];
    estimate->lo = list->counts[i] - list->errors[i];
    /* What was taken over was others' for the most part. */
    estimate->count = estimate->lo;
    estimate->certain = true;
}

const struct hotlist_way hotlist_space_saving = {insert, estimate};
