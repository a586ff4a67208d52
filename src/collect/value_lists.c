#include "collect/value_lists.h"

#include <math.h>

/* Vectors by their lowest word; where a push or a return goes says nothing, gathers too much. Latencies are no values. */
static bool kind_taken(enum payload_kind kind)
{
    switch (kind) {
    case PAYLOAD_ADDRESS:
    case PAYLOAD_SOURCE:
    case PAYLOAD_DESTINATION:
    case PAYLOAD_COUNT:
    case PAYLOAD_OPERAND:
    case PAYLOAD_RESULT:
    case PAYLOAD_VECTOR: return true;
    default: return false;
    }
}

static uint32_t list_find(struct value_lists *lists, const struct payload_event *event)
{
    struct value_key key = {.module = event->at.module,
                            .kind = value_kind(event->item->kind, event->item->detail),
                            .address = event->at.address.v};
    uint32_t index = map_add(&lists->keys, &key);
    if (index == lists->places.n) {
        struct value_list *list = vec_push(&lists->places);
        *list = (struct value_list){0};
        hotlist_init(&list->hot, HOTLIST_DEFAULT);
    }
    return index;
}

/* Items of superblocks keep their lists: no look-up but the first time. */
static uint32_t list_of(struct value_lists *lists, const struct payload_event *event)
{
    size_t item = (size_t)(event->item - lists->units->payload.at);
    while (lists->items.n <= item)
        *vec_push(&lists->items) = 0;
    uint32_t *known = &lists->items.at[item];
    if (!*known)
        *known = list_find(lists, event) + 1;
    return *known - 1;
}

static void take(struct payload_consumer *consumer, const struct payload_event *event)
{
    struct value_lists *lists = (struct value_lists *)consumer;
    lists->window += event->first;
    if (!kind_taken((enum payload_kind)event->item->kind) || event->at.module == MODULE_NONE)
        return;
    uint32_t index = list_of(lists, event);
    struct value_list *list = &lists->places.at[index];
    if (!list->touched) {
        list->touched = true;
        *vec_push(&lists->touched) = index;
    }
    list->windows += list->window != lists->window;
    list->window = lists->window;
    hotlist_insert(&list->hot, event->words[0], &lists->random);
}

void value_lists_init(struct value_lists *lists, const struct units *units)
{
    *lists = (struct value_lists){.consumer = {take}, .units = units};
    map_init(&lists->keys, sizeof(struct value_key));
}

void value_lists_release(struct value_lists *lists)
{
    map_release(&lists->keys);
    vec_release(&lists->places);
    vec_release(&lists->touched);
    vec_release(&lists->items);
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

static void list_flush(struct value_list *list, struct value_key key, struct batch *batch)
{
    struct hotlist_estimate estimates[HOTLIST_VALUES];
    struct told told[HOTLIST_VALUES];
    uint64_t total = list->hot.total - list->told_total;
    size_t n = hotlist_estimates(&list->hot, estimates);
    for (size_t i = 0; i < n; i++) {
        uint64_t error = estimates[i].hi - estimates[i].lo;
        uint64_t before = told_of(list, estimates[i].value, error);
        bool worth = estimates[i].lo >= 2;
        told[i] = (struct told){estimates[i].value, error, worth ? estimates[i].lo : 0};
        key.value = estimates[i].value;
        if (worth && estimates[i].lo > before)
            row_add(batch, &key, sqrt((double)(estimates[i].lo - before) * (double)total),
                    estimates[i].lo - before);
    }
    for (size_t i = 0; i < n; i++)
        list->told[i] = told[i];
    list->n_told = (uint32_t)n;
    list->told_total = list->hot.total;
    list->touched = false;
    key.kind |= VALUE_ALL;
    key.value = 0;
    row_add(batch, &key, (double)list->windows, total);
    list->windows = 0;
}

void value_lists_flush(struct value_lists *lists, struct batch *batch)
{
    for (size_t i = 0; i < lists->touched.n; i++) {
        uint32_t index = lists->touched.at[i];
        const struct value_key *key = map_key(&lists->keys, index);
        list_flush(&lists->places.at[index], *key, batch);
    }
    lists->touched.n = 0;
}
