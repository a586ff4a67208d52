#include "values/value_lists.h"

#include "values/value_calls.h"
#include "base/memory.h"

#include <math.h>

enum {
    WORTH_PART = 64, /* who has less of a place than one in so many is not told */
    WORTH_PART_NOW =
        16, /* nor, before the end, less than so: most of what seems frequent at first is not */
    STRIDES_MOST = 32,   /* that differ from the one before, of a place in a window */
    CHECK_MESSAGES = 32, /* of a place, until its profile is looked at again */
    SETTLED_WINDOWS = 16 /* one in so many is looked at all the same */
};
static const double SETTLED_SHARE = 0.01;

static struct value_list *list_get(struct value_lists *lists, uint32_t place)
{
    while (lists->lists.n <= place)
        vec_push(&lists->lists)->row = MAP_NONE;
    return &lists->lists.at[place];
}

/* Whether the share of the most frequent value is what it was some messages ago. */
static void list_check(struct value_list *list)
{
    struct value_count top = {0};
    value_counts_top(&list->counts, &top, 1);
    double share = (double)top.count / (double)list->counts.total;
    list->settled = fabs(share - list->share) < SETTLED_SHARE;
    list->share = share;
}

static void messages_take(struct value_lists *lists, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct message *message = &lists->stream->messages[i];
        struct value_list *list = &lists->lists.at[value_stream_place(message)];
        value_counts_add(&list->counts, message->tuple.value, message->count << VALUE_BITS);
        lists->stream->stands_for += message->count;
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

/* It was seen in these windows of the chunk. */
static struct value_list *list_touch(struct value_lists *lists, uint32_t place, uint64_t windows)
{
    struct value_list *list = list_get(lists, place);
    if (!list->seen && !list->windows)
        *vec_push(&lists->touched) = place;
    list->seen |= windows;
    return list;
}

/* The bit of the window that was taken last. */
static uint64_t window_last(const struct value_lists *lists)
{
    return UINT64_C(1) << (lists->n_windows ? lists->n_windows - 1 : 0);
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
    value_counts_add(&list_touch(lists, place, window_last(lists))->counts, value, sightings);
}

/* A hotlist takes occurrences, however much they weigh. */
static void hotlist_see(struct value_lists *lists, struct value_list *list, uint64_t value,
                        uint64_t weight)
{
    if (!list->hot) {
        list->hot = mem_alloc(sizeof *list->hot);
        hotlist_init(list->hot, (enum hotlist_kind)(lists->hotlist - 1));
    }
    list->counts.total += weight;
    hotlist_insert(list->hot, value, &lists->random);
}

static void see(void *to, uint32_t place, uint64_t value)
{
    struct value_lists *lists = to;
    struct value_list *list = list_touch(lists, place, window_last(lists));
    if (lists->stream)
        pass_on(lists, list, place, value);
    else if (lists->hotlist)
        hotlist_see(lists, list, value, lists->weight);
    else
        value_counts_add(&list->counts, value, lists->weight);
}

static void see_times(void *to, uint32_t place, uint64_t value, uint64_t times)
{
    struct value_lists *lists = to;
    struct value_list *list = list_touch(lists, place, window_last(lists));
    if (!lists->hotlist)
        value_counts_add(&list->counts, value, times * lists->weight);
    for (uint64_t i = 0; lists->hotlist && i < times; i++)
        hotlist_see(lists, list, value, lists->weight);
}

static void column_see_hot(struct value_lists *lists, uint32_t place,
                           const struct value_column *column)
{
    for (size_t i = 0; i < column->n; i++) {
        const struct value_visit *visit = &column->visits[i];
        struct value_list *list = list_touch(lists, place, UINT64_C(1) << visit->window);
        hotlist_see(lists, list, column->words[visit->words + column->at], visit->weight);
    }
}

static void column_see(void *to, uint32_t place, const struct value_column *column)
{
    if (((struct value_lists *)to)->hotlist) {
        column_see_hot(to, place, column);
        return;
    }
    struct value_counts counts = list_get(to, place)->counts;
    uint64_t windows = 0;
    for (size_t i = 0; i < column->n; i++) {
        const struct value_visit *visit = &column->visits[i];
        windows |= UINT64_C(1) << visit->window;
        value_counts_add(&counts, column->words[visit->words + column->at], visit->weight);
    }
    list_touch(to, place, windows)->counts = counts;
}

/* Ends the chunk: what waits is counted, and so is in how many windows each place was seen. */
static void chunk_end(struct value_lists *lists)
{
    value_chunk_take(&lists->chunk, &lists->places, column_see, lists);
    for (size_t i = 0; i < lists->touched.n; i++) {
        struct value_list *list = &lists->lists.at[lists->touched.at[i]];
        list->windows += (uint32_t)__builtin_popcountll(list->seen);
        list->seen = 0;
    }
    lists->n_windows = 0;
}

void value_lists_begin(struct value_lists *lists)
{
    if (lists->n_windows == VALUE_CHUNK_WINDOWS || value_chunk_is_full(&lists->chunk))
        chunk_end(lists);
    lists->window++;
    lists->n_windows++;
}

bool value_lists_take(struct value_lists *lists, const struct payload_window *whole,
                      const struct payload_window *counted, uint32_t weight)
{
    if (!value_places_admit(&lists->places, whole))
        return false;
    value_lists_begin(lists);
    lists->weight = weight;
    if (lists->places.calls)
        value_calls_read(&lists->places, counted, &(struct call_crossing){0}, see, lists);
    if (lists->stream || lists->places.by_callers) {
        value_places_read(&lists->places, counted, see, lists);
        return true;
    }
    if (lists->strided)
        value_strides_read(&lists->strides, &lists->places, counted, see_times, lists);
    value_chunk_add(
        &lists->chunk, &lists->places, counted,
        &(struct value_visit){.weight = weight, .window = (uint16_t)(lists->n_windows - 1)});
    return true;
}

void value_lists_init(struct value_lists *lists, const struct units *units)
{
    *lists = (struct value_lists){.random = {1}, .strides.most = STRIDES_MOST};
    value_places_init(&lists->places, units);
}

void value_lists_release(struct value_lists *lists)
{
    value_places_release(&lists->places);
    value_stream_release(lists->stream);
    value_chunk_release(&lists->chunk);
    value_strides_release(&lists->strides);
    for (size_t i = 0; i < lists->lists.n; i++) {
        value_counts_release(&lists->lists.at[i].counts);
        vec_release(&lists->lists.at[i].told);
        mem_free(lists->lists.at[i].hot);
    }
    vec_release(&lists->lists);
    vec_release(&lists->touched);
}

/* ---- into a batch */

/* What was told of a value, of which there is something to tell now. */
static struct value_told *told_get(struct value_list *list, uint64_t value)
{
    for (size_t i = 0; i < list->told.n; i++)
        if (list->told.at[i].value == value)
            return &list->told.at[i];
    struct value_told *told = vec_push(&list->told);
    *told = (struct value_told){.value = value, .row = MAP_NONE};
    return told;
}

static void value_flush(struct value_lists *lists, uint32_t place, const struct value_count *seen,
                        struct batch *batch)
{
    struct value_list *list = &lists->lists.at[place];
    struct value_told *told = told_get(list, seen->value);
    if (seen->count <= told->count) /* it was dropped, and has come again */
        return;
    if (told->row == MAP_NONE) {
        struct value_key key = value_places_row(&lists->places, place, seen->value);
        told->row = batch_value_index(batch, &key);
    }
    /* What is told for the first time is of all batches so far: together with all that they saw it
     * does not vary. */
    uint64_t more = seen->count - told->count;
    uint64_t all = list->counts.total - (told->count ? list->told_total : 0);
    double together = sqrt((double)more * (double)all);
    batch_table_add(&batch->values, told->row, (uint64_t)(together + 0.5), more);
    told->count = seen->count;
}

/* What estimates are in occurrences; values weigh. */
static uint64_t weight_of(const struct value_list *list, uint64_t count)
{
    return (uint64_t)((double)count * (double)list->counts.total / (double)list->hot->total + 0.5);
}

static void hotlist_flush(struct value_lists *lists, uint32_t place, uint64_t worth,
                          struct batch *batch)
{
    const struct value_list *list = &lists->lists.at[place];
    struct hotlist_estimate estimates[HOTLIST_VALUES];
    size_t n = hotlist_estimates(list->hot, estimates);
    for (size_t i = 0; i < n; i++) {
        struct value_count seen = {estimates[i].value, weight_of(list, estimates[i].count)};
        if (seen.count >= worth)
            value_flush(lists, place, &seen, batch);
    }
    struct value_key key = value_places_key(&lists->places, place);
    uint64_t unsure = hotlist_unsure(list->hot);
    key.kind |= VALUE_UNSURE;
    batch_table_add(&batch->values, batch_value_index(batch, &key), 0,
                    list->hot->kind == HOTLIST_SPACE_SAVING ? weight_of(list, unsure) >> VALUE_BITS
                                                            : unsure);
}

static void list_flush(struct value_lists *lists, uint32_t place, bool last, struct batch *batch)
{
    struct value_list *list = &lists->lists.at[place];
    const struct value_counts *counts = &list->counts;
    uint64_t worth = counts->total / (last ? WORTH_PART : WORTH_PART_NOW);
    uint64_t least = (last ? UINT64_C(2) : UINT64_C(4)) << VALUE_BITS;
    worth = worth < least ? least : worth;
    if (last && list->hot)
        hotlist_flush(lists, place, worth, batch);
    for (uint32_t i = 0; i < counts->n_slots; i++)
        if (counts->slots[i].count >= worth)
            value_flush(lists, place, &counts->slots[i], batch);
    if (counts->total == list->told_total)
        return;
    if (list->row == MAP_NONE) {
        struct value_key all = value_places_key(&lists->places, place);
        all.kind |= VALUE_ALL;
        list->row = batch_value_index(batch, &all);
    }
    batch_table_add(&batch->values, list->row, (uint64_t)list->windows << VALUE_BITS,
                    counts->total - list->told_total);
    list->told_total = counts->total;
    list->windows = 0;
}

/* A value may be an address of what is mapped now, and have another row. */
static void rows_forget(struct value_lists *lists)
{
    for (size_t i = 0; i < lists->lists.n; i++)
        for (size_t k = 0; k < lists->lists.at[i].told.n; k++)
            lists->lists.at[i].told.at[k].row = MAP_NONE;
    lists->changes = lists->places.units->mappings->changes;
}

void value_lists_flush(struct value_lists *lists, bool last, struct batch *batch)
{
    if (lists->stream)
        messages_take(lists, value_stream_flush(lists->stream));
    chunk_end(lists);
    if (lists->changes != lists->places.units->mappings->changes)
        rows_forget(lists);
    for (uint32_t i = 0; i < (last ? lists->lists.n : lists->touched.n); i++)
        list_flush(lists, last ? i : lists->touched.at[i], last, batch);
    lists->touched.n = 0;
}
