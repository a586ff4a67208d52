#include "consumers/waste/trace_waste.h"

#include "profile/sums.h"

static void waste_thread_begin(struct consumer *consumer, uint32_t thread, int32_t tid)
{
    (void)tid;
    struct trace_waste *waste = (struct trace_waste *)consumer;
    while (waste->threads.n <= thread)
        *vec_push(&waste->threads) = NULL;
    if (waste->threads.at[thread])
        return;
    waste->threads.at[thread] = mem_alloc(sizeof **waste->threads.at);
    waste_thread_init(waste->threads.at[thread], &waste->blocks, &waste->rows.listener);
    for (size_t i = 0; waste->threads.n > 1 && i < waste->threads.n; i++)
        if (waste->threads.at[i])
            waste->threads.at[i]->shared = true;
}

static void waste_passage(struct consumer *consumer, const struct passage *passage)
{
    struct trace_waste *waste = (struct trace_waste *)consumer;
    waste_thread_begin(consumer, passage->thread, 0);
    struct waste_thread *thread = waste->threads.at[passage->thread];
    struct payload_window window = {.n_exits = passage->n,
                                    .n_words = passage->n_payload,
                                    .exits = passage->exits,
                                    .words = passage->payload};
    if (!passage->joined)
        waste_thread_gap(thread);
    if (payloads_words(consumer->units, window.exits, window.n_exits) == window.n_words)
        waste_thread_run(thread, &window);
    else
        waste_thread_gap(thread);
}

static void waste_thread_end(struct consumer *consumer, uint32_t thread, uint32_t stop)
{
    (void)stop;
    struct trace_waste *waste = (struct trace_waste *)consumer;
    if (thread >= waste->threads.n || !waste->threads.at[thread])
        return;
    waste->unread += waste->threads.at[thread]->unread;
    waste_thread_release(waste->threads.at[thread]);
    mem_free(waste->threads.at[thread]);
    waste->threads.at[thread] = NULL;
}

void trace_waste_init(struct trace_waste *waste, const struct units *units)
{
    static const struct consumer_kind kind = {waste_thread_begin, waste_passage, waste_thread_end};
    *waste = (struct trace_waste){.consumer = {&kind, units}};
    batch_init(&waste->batch);
    waste_blocks_init(&waste->blocks, units);
    waste_rows_init(&waste->rows, &waste->blocks, &waste->batch, WASTE_ROWS_TRACE);
}

void trace_waste_release(struct trace_waste *waste)
{
    for (uint32_t i = 0; i < waste->threads.n; i++)
        waste_thread_end(&waste->consumer, i, LOSS_N);
    vec_release(&waste->threads);
    waste_blocks_release(&waste->blocks);
    batch_release(&waste->batch);
}

void trace_waste_give(struct trace_waste *waste, struct profile *profile)
{
    const struct batch_table *from = &waste->batch.waste;
    for (uint32_t i = 0; i < waste->threads.n; i++)
        waste_thread_end(&waste->consumer, i, LOSS_N);
    waste_rows_window(&waste->rows);
    for (uint32_t i = 0; i < from->cells.n; i++) {
        struct sums *sums = table_at(&profile->waste, map_key(&from->keys, i));
        sum_add(&sums->count, from->cells.at[i].count);
        sum_add(&sums->time, from->cells.at[i].time);
    }
    sum_add(&profile->totals.losses[LOSS_waste_crowded], waste->rows.crowded);
    sum_add(&profile->totals.losses[LOSS_waste_unread], waste->unread);
}
