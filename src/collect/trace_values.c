#include "collect/trace_values.h"

#include "profile/sums.h"

enum { VALUES_TOLD = 16, PART_UNKNOWN = UINT32_MAX };

static struct trace_values *of_consumer(struct consumer *consumer)
{
    return (struct trace_values *)consumer;
}

static void thread_begin(struct consumer *consumer, uint32_t thread, int32_t tid)
{
    struct trace_values *values = of_consumer(consumer);
    while (values->tids.n <= thread)
        *vec_push(&values->tids) = 0;
    values->tids.at[thread] = tid;
}

/* What exits have recorded, looked up once. NULL: it is nobody's. */
static struct trace_part *part_of(struct trace_values *values, uint32_t exit)
{
    while (values->parts.n <= exit)
        *vec_push(&values->parts) = (struct trace_part){.part.n_items = PART_UNKNOWN};
    struct trace_part *known = &values->parts.at[exit];
    if (known->part.n_items == PART_UNKNOWN &&
        !payload_part(values->consumer.units, exit, &known->part))
        return NULL;
    return known;
}

static bool length_right(struct trace_values *values, const struct passage *passage)
{
    uint64_t words = 0;
    for (uint32_t i = 0; i < passage->n; i++) {
        const struct trace_part *known = part_of(values, passage->exits[i]);
        if (!known)
            return false;
        words += known->part.words;
    }
    return words == passage->n_payload;
}

static void passage_count(struct trace_values *values, const struct passage *passage)
{
    const struct wire_payload *items = values->consumer.units->payload.at;
    const uint64_t *word = passage->payload;
    for (uint32_t i = 0; i < passage->n; i++) {
        struct trace_part *known = &values->parts.at[passage->exits[i]];
        const struct payload_part *part = &known->part;
        known->taken++;
        for (uint32_t k = part->first_item; k < part->first_item + part->n_items; k++) {
            uint32_t place = values->places.items.at[k];
            if (place != VALUE_PLACE_NONE)
                value_counts_add(&values->counts.at[place], *word);
            word += items[k].words;
        }
    }
}

static void passage_tell(const struct trace_values *values, const struct passage *passage)
{
    struct payload_sum own = {0}; /* they are counted when all are known */
    struct payload_window window = {.tid = values->tids.at[passage->thread],
                                    .n_exits = passage->n,
                                    .n_words = passage->n_payload,
                                    .exits = passage->exits,
                                    .words = passage->payload};
    payloads_read(values->consumer.units, &window, &own, &values->listener, 1);
}

static void passage_read(struct consumer *consumer, const struct passage *passage)
{
    struct trace_values *values = of_consumer(consumer);
    if (!length_right(values, passage)) {
        values->sum->astray++;
        return;
    }
    if (values->listener)
        passage_tell(values, passage);
    values->sum->windows++;
    value_places_follow(&values->places);
    while (values->counts.n < values->places.keys.n)
        *vec_push(&values->counts) = (struct value_counts){0};
    passage_count(values, passage);
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
    vec_release(&values->tids);
    vec_release(&values->parts);
    value_places_release(&values->places);
}

static void row_give(struct profile *profile, const struct value_key *key, uint64_t count,
                     uint64_t lost)
{
    struct sums *sums = table_at(&profile->values, key);
    sum_add(&sums->count, count << VALUE_BITS);
    sum_add(&sums->time, lost << VALUE_BITS);
}

static void place_give(const struct trace_values *values, uint32_t place, struct profile *profile)
{
    const struct value_counts *counts = &values->counts.at[place];
    struct value_count top[VALUES_TOLD];
    struct value_key key = value_places_key(&values->places, place);
    size_t n = value_counts_top(counts, top, VALUES_TOLD);
    for (size_t i = 0; i < n; i++) {
        key.value = top[i].value;
        row_give(profile, &key, top[i].count, counts->lost);
    }
    key.kind |= VALUE_ALL;
    key.value = 0;
    row_give(profile, &key, counts->total, 0);
}

void trace_values_give(struct trace_values *values, struct profile *profile)
{
    for (uint32_t i = 0; i < values->counts.n; i++)
        if (values->counts.at[i].total)
            place_give(values, i, profile);
    for (uint32_t i = 0; i < values->parts.n; i++)
        if (values->parts.at[i].taken)
            payload_sum_exit(values->sum, values->consumer.units, i, values->parts.at[i].taken);
}
