#include "consumers/trace_values.h"

#include "profile/sums.h"

enum { VALUES_TOLD = 16 };

static struct trace_values *of_consumer(struct consumer *consumer)
{
    return (struct trace_values *)consumer;
}

static void thread_begin(struct consumer *consumer, uint32_t thread, int32_t tid)
{
    struct trace_values *values = of_consumer(consumer);
    while (values->tids.n <= thread)
        *vec_push(&values->tids) = 0;
    while (values->crossings.n <= thread)
        *vec_push(&values->crossings) = (struct call_crossing){0};
    values->crossings.at[thread].n = 0;
    values->tids.at[thread] = tid;
}

static struct value_counts *counts_get(struct trace_values *values, uint32_t place)
{
    /* Twice as many values as of samples: the most that can be lost is half as much. */
    while (values->counts.n <= place)
        *vec_push(&values->counts) = (struct value_counts){.more = 1};
    return &values->counts.at[place];
}

static void see(void *to, uint32_t place, uint64_t value)
{
    value_counts_add(counts_get(to, place), value, 1);
}

static void see_times(void *to, uint32_t place, uint64_t value, uint64_t times)
{
    value_counts_add(counts_get(to, place), value, times);
}

static void column_see(void *to, uint32_t place, const struct value_rows_column *column)
{
    value_counts_add_column(counts_get(to, place), column->words, column->apart, column->n);
}

static void passage_read(struct consumer *consumer, const struct passage *passage)
{
    struct trace_values *values = of_consumer(consumer);
    struct payload_window window = {.tid = values->tids.at[passage->thread],
                                    .n_exits = passage->n,
                                    .n_words = passage->n_payload,
                                    .exits = passage->exits,
                                    .words = passage->payload};
    if (!value_places_admit(&values->places, &window)) {
        values->sum->astray++;
        return;
    }
    struct payload_sum told = {0}; /* all is counted in the end */
    if (values->listener)
        payloads_read(consumer->units, &window, &told, &values->listener, 1);
    values->sum->windows++;
    values->sum->timed += told.timed;
    if (values->places.calls)
        value_calls_read(&values->places, &window, &values->crossings.at[passage->thread], see,
                         values);
    if (values->places.by_callers) {
        value_places_read(&values->places, &window, see, values);
        return;
    }
    if (values->strided)
        value_strides_read(&values->strides, &values->places, &window, see_times, values);
    value_rows_add(&values->rows, &values->places, &window, column_see, values);
}

static void thread_end(struct consumer *consumer, uint32_t thread, uint32_t stop)
{
    (void)consumer, (void)thread, (void)stop;
}

void trace_values_init(struct trace_values *values, const struct units *units,
                       struct payload_sum *sum)
{
    static const struct consumer_kind kind = {thread_begin, passage_read, thread_end};
    *values = (struct trace_values){.consumer = {&kind, units}, .sum = sum};
    value_places_init(&values->places, units);
}

void trace_values_release(struct trace_values *values)
{
    for (size_t i = 0; i < values->counts.n; i++)
        value_counts_release(&values->counts.at[i]);
    vec_release(&values->counts);
    value_rows_release(&values->rows);
    value_strides_release(&values->strides);
    vec_release(&values->tids);
    vec_release(&values->crossings);
    value_places_release(&values->places);
}

static void row_give(struct profile *profile, const struct value_key *key, uint64_t count,
                     uint64_t lost)
{
    struct sums *sums = table_at(&profile->values, key);
    sum_add(&sums->count, count << VALUE_BITS);
    sum_add(&sums->time, lost << VALUE_BITS);
}

static void place_give(struct trace_values *values, uint32_t place, struct profile *profile)
{
    const struct value_counts *counts = &values->counts.at[place];
    struct value_count top[VALUES_TOLD];
    struct value_key all = value_places_key(&values->places, place);
    size_t n = value_counts_top(counts, top, VALUES_TOLD);
    for (size_t i = 0; i < n; i++) {
        struct value_key key = value_places_row(&values->places, place, top[i].value);
        row_give(profile, &key, top[i].count, counts->lost);
    }
    all.kind |= VALUE_ALL;
    row_give(profile, &all, counts->total, 0);
}

void trace_values_give(struct trace_values *values, struct profile *profile)
{
    value_rows_end(&values->rows, &values->places, column_see, values);
    for (uint32_t i = 0; i < values->counts.n; i++)
        if (values->counts.at[i].total)
            place_give(values, i, profile);
    value_places_sum(&values->places, values->sum);
}
