/* Work without effect, in windows that have addresses and values (waste/waste.h). */
#include "base/memory.h"
#include "collect/windows/window_consumer.h"
#include "waste/waste.h"
#include "waste/waste_rows.h"

struct window_waste {
    struct window_consumer consumer;
    struct waste_blocks blocks;
    struct waste_rows rows;
    struct waste_thread thread; /* of the window */
    struct waste_pages pages;
    int32_t tid; /* of the first window; 0: none yet */
};

static void waste_see(struct window_consumer *consumer, const struct weighed_window *window)
{
    struct window_waste *of = (struct window_waste *)consumer;
    const struct payload_window *counted = &window->counted;
    if (!window->weight.instructions || !counted->n_words ||
        payloads_words(of->blocks.units, counted->exits, counted->n_exits) != counted->n_words)
        return;
    of->tid = of->tid ? of->tid : counted->tid;
    of->thread.shared |= counted->tid != of->tid || window->others;
    of->rows.weight = tally_units(&window->weight, 1) * window->weight.rate;
    of->rows.length = window->weight.instructions;
    waste_pages_window(&of->pages, counted->tid);
    waste_thread_gap(&of->thread);
    waste_thread_run(&of->thread, counted);
    waste_rows_window(&of->rows);
}

static void waste_sum(const struct window_consumer *consumer, struct window_sums *sums)
{
    const struct window_waste *of = (const struct window_waste *)consumer;
    sums->losses[LOSS_waste_crowded] += of->rows.crowded;
    sums->losses[LOSS_waste_unread] += of->thread.unread;
}

static void waste_close(struct window_consumer *consumer)
{
    struct window_waste *of = (struct window_waste *)consumer;
    waste_thread_release(&of->thread);
    waste_pages_release(&of->pages);
    waste_blocks_release(&of->blocks);
    mem_free(of);
}

struct window_consumer *window_waste_open(const struct window_setting *setting)
{
    static const struct window_consumer_kind kind = {
        .window = waste_see, .sum = waste_sum, .release = waste_close};
    const uint32_t needs = EVENTS_ADDRESS | EVENTS_VALUE;
    if ((setting->session->options->record.events & needs) != needs)
        return NULL;
    struct window_waste *of = mem_alloc(sizeof *of);
    of->consumer.kind = &kind;
    waste_blocks_init(&of->blocks, setting->units);
    waste_rows_init(&of->rows, &of->blocks, setting->batch, WASTE_ROWS);
    waste_thread_init(&of->thread, &of->blocks, &of->rows.listener);
    waste_pages_init(&of->pages);
    of->thread.pages = &of->pages;
    return &of->consumer;
}
