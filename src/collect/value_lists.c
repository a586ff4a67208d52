#include "collect/value_lists.h"

#include <math.h>

enum { WORTH_PART = 64 }; /* who has less of a place than one in so many is not told */

static struct value_list *list_get(struct value_lists *lists, uint32_t place)
{
    while (lists->lists.n <= place) {
        struct value_list *list = vec_push(&lists->lists);
        *list = (struct value_list){0};
        hotlist_init(&list->hot, HOTLIST_DEFAULT);
    }
    return &lists->lists.at[place];
}

static void see(void *to, uint32_t place, uint64_t value)
{
    struct value_lists *lists = to;
    struct value_list *list = list_get(lists, place);
    if (list->window != lists->window) {
        list->window = lists->window;
        if (!list->windows++)
            *vec_push(&lists->touched) = place;
    }
    hotlist_insert(&list->hot, value, &lists->random);
}

bool value_lists_take(struct value_lists *lists, const struct payload_window *window)
{
    if (!value_places_admit(&lists->places, window))
        return false;
    lists->window++;
    value_places_read(&lists->places, window, see, lists);
    return true;
}

void value_lists_init(struct value_lists *lists, const struct units *units)
{
    *lists = (struct value_lists){0};
    value_places_init(&lists->places, units);
}

void value_lists_release(struct value_lists *lists)
{
    value_places_release(&lists->places);
    vec_release(&lists->lists);
    vec_release(&lists->touched);
}

/* ---- into a batch */

static void row_add(struct batch *batch, const struct value_key *key, double time, uint64_t count)
{
    batch_table_add(&batch->values, batch_value_index(batch, key),
                    (uint64_t)(time * (1 << VALUE_BITS) + 0.5), count << VALUE_BITS);
}

/* How much of a value has been told: of its present stay in the list. */
static uint64_t told_of(const struct value_list *list, uint64_t value, uint64_t error)
{
    for (uint32_t i = 0; i < list->n_told; i++)
        if (list->told[i].value == value && list->told[i].error == error)
            return list->told[i].count;
    return 0;
}

static void list_flush(struct value_lists *lists, uint32_t place, struct batch *batch)
{
    struct value_list *list = &lists->lists.at[place];
    struct value_key all = value_places_key(&lists->places, place);
    struct hotlist_estimate estimates[HOTLIST_VALUES];
    struct told told[HOTLIST_VALUES];
    uint64_t total = list->hot.total - list->told_total;
    size_t n = hotlist_estimates(&list->hot, estimates);
    for (size_t i = 0; i < n; i++) {
        uint64_t error = estimates[i].hi - estimates[i].lo;
        uint64_t before = told_of(list, estimates[i].value, error);
        bool worth = estimates[i].lo >= 2 && estimates[i].lo >= list->hot.total / WORTH_PART;
        told[i] = (struct told){estimates[i].value, error, worth ? estimates[i].lo : before};
        if (!worth || estimates[i].lo <= before)
            continue;
        struct value_key key = value_places_row(&lists->places, place, estimates[i].value);
        row_add(batch, &key, sqrt((double)(estimates[i].lo - before) * (double)total),
                estimates[i].lo - before);
    }
    for (size_t i = 0; i < n; i++)
        list->told[i] = told[i];
    list->n_told = (uint32_t)n;
    list->told_total = list->hot.total;
    all.kind |= VALUE_ALL;
    row_add(batch, &all, (double)list->windows, total);
    list->windows = 0;
}

void value_lists_flush(struct value_lists *lists, struct batch *batch)
{
    for (size_t i = 0; i < lists->touched.n; i++)
        list_flush(lists, lists->touched.at[i], batch);
    lists->touched.n = 0;
}
