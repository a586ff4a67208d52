#include "collect/value_lists.h"

#include <math.h>

enum {
    WORTH_PART = 64,     /* who has less of a place than one in so many is not told */
    CHECK_MESSAGES = 32, /* of a place, until its profile is looked at again */
    SETTLED_WINDOWS = 16 /* one in so many is looked at all the same */
};
static const double SETTLED_SHARE = 0.01;

static struct value_list *list_get(struct value_lists *lists, uint32_t place)
{
    while (lists->lists.n <= place) {
        struct value_list *list = vec_push(&lists->lists);
        *list = (struct value_list){0};
        hotlist_init(&list->hot, HOTLIST_DEFAULT);
    }
    return &lists->lists.at[place];
}

/* Whether the share of the most frequent value is what it was some messages ago. */
static void list_check(struct value_list *list)
{
    double share = (double)list->hot.counts[0] / (double)list->hot.total;
    list->settled = fabs(share - list->share) < SETTLED_SHARE;
    list->share = share;
}

static void messages_take(struct value_lists *lists, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct message *message = &lists->stream->messages[i];
        struct value_list *list = &lists->lists.at[value_stream_place(message)];
        hotlist_add(&list->hot, message->tuple.value, message->count << VALUE_BITS);
        if (++list->messages % CHECK_MESSAGES == 0)
            list_check(list);
    }
}

static void pass_on(struct value_lists *lists, const struct value_list *list, uint32_t place,
                    uint64_t value)
{
    bool looks = lists->window % SETTLED_WINDOWS == 0;
    if (lists->stream->compressor.design.converge && list->settled && !looks)
        lists->stream->settled++;
    else
        messages_take(lists, value_stream_push(lists->stream, place, value));
}

static struct value_list *list_touch(struct value_lists *lists, uint32_t place)
{
    struct value_list *list = list_get(lists, place);
    if (list->window != lists->window) {
        list->window = lists->window;
        if (!list->windows++)
            *vec_push(&lists->touched) = place;
    }
    return list;
}

uint32_t value_lists_place(struct value_lists *lists, struct place at, uint32_t kind)
{
    struct value_key key = {.module = at.module,
                            .kind = kind,
                            .address = at.address.v,
                            .to = MODULE_NONE,
                            .caller_module = MODULE_NONE};
    return value_places_add(&lists->places, &key);
}

void value_lists_see(struct value_lists *lists, uint32_t place, uint64_t value, uint64_t sightings)
{
    hotlist_add(&list_touch(lists, place)->hot, value, sightings);
}

static void see(void *to, uint32_t place, uint64_t value)
{
    struct value_lists *lists = to;
    struct value_list *list = list_touch(lists, place);
    if (lists->stream)
        pass_on(lists, list, place, value);
    else
        hotlist_add(&list->hot, value, lists->weight);
}

bool value_lists_take(struct value_lists *lists, const struct payload_window *window,
                      uint32_t weight)
{
    if (!value_places_admit(&lists->places, window))
        return false;
    lists->window++;
    lists->weight = weight;
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
    value_stream_release(lists->stream);
    vec_release(&lists->lists);
    vec_release(&lists->touched);
}

/* ---- into a batch */

static void row_add(struct batch *batch, const struct value_key *key, double time, uint64_t count)
{
    batch_table_add(&batch->values, batch_value_index(batch, key), (uint64_t)(time + 0.5), count);
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
        bool worth =
            estimates[i].lo >= 2 << VALUE_BITS && estimates[i].lo >= list->hot.total / WORTH_PART;
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
    row_add(batch, &all, (double)(list->windows << VALUE_BITS), total);
    list->windows = 0;
}

void value_lists_flush(struct value_lists *lists, struct batch *batch)
{
    if (lists->stream)
        messages_take(lists, value_stream_flush(lists->stream));
    for (size_t i = 0; i < lists->touched.n; i++)
        list_flush(lists, lists->touched.at[i], batch);
    lists->touched.n = 0;
}
