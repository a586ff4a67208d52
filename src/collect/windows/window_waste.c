/* Work without effect, in windows that have addresses and values (waste/waste.h).
 *
 * The search takes half of what such a window costs the tool, and a window of 8,000 instructions
 * says little more of a function than one of 1,500: what is near repeats itself. So most windows
 * are searched at their beginning, and one in WHOLE_EVERY to its end, for pairs that lie far apart.
 * Then twice as many windows cost the same. */
#include "base/memory.h"
#include "collect/windows/window_consumer.h"
#include "compress/random.h"
#include "waste/waste.h"
#include "waste/waste_rows.h"

enum { BRIEF = 1500, WHOLE_EVERY = 4 };

struct window_waste {
    struct window_consumer consumer;
    struct waste_blocks blocks;
    struct waste_rows rows;
    struct waste_thread thread; /* of the window */
    struct waste_pages pages;
    int32_t tid; /* of the first window; 0: none yet */
    const struct tally *tally;
    struct random random;
    uint32_t number,
        whole; /* of this window and of the one that is searched whole, of WHOLE_EVERY */
};

/* One of each WHOLE_EVERY, at random. */
static bool is_whole(struct window_waste *of)
{
    if (!of->number)
        of->whole = (uint32_t)random_below(&of->random, WHOLE_EVERY);
    bool whole = of->number == of->whole;
    of->number = (of->number + 1) % WHOLE_EVERY;
    return whole;
}

/* Its beginning; returns how many instructions. */
static uint64_t begin_cut(const struct window_waste *of, struct payload_window *window)
{
    uint64_t instructions = 0;
    uint32_t n = 0;
    while (n < window->n_exits && instructions < BRIEF)
        instructions += of->tally->exits.at[window->exits[n++]].instructions;
    window->n_exits = n;
    window->n_words = payloads_words(of->blocks.units, window->exits, n);
    return instructions;
}

static void waste_see(struct window_consumer *consumer, const struct weighed_window *window)
{
    struct window_waste *of = (struct window_waste *)consumer;
    struct payload_window searched = window->counted;
    struct tally_weight weight = window->weight;
    if (!weight.instructions || !searched.n_words ||
        payloads_words(of->blocks.units, searched.exits, searched.n_exits) != searched.n_words)
        return;
    of->tid = of->tid ? of->tid : searched.tid;
    of->thread.shared |= searched.tid != of->tid || window->others;
    if (weight.instructions > BRIEF && !is_whole(of))
        weight.instructions = begin_cut(of, &searched);
    of->rows.weight = tally_units(&weight, 1) * weight.rate;
    of->rows.length = weight.instructions;
    waste_pages_window(&of->pages, searched.tid);
    waste_thread_gap(&of->thread);
    waste_thread_run(&of->thread, &searched);
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
    of->tally = setting->tally;
    of->random.state = setting->session->options->record.seed;
    waste_blocks_init(&of->blocks, setting->units);
    waste_rows_init(&of->rows, &of->blocks, setting->batch);
    of->rows.brief = BRIEF;
    of->rows.whole_every = WHOLE_EVERY;
    waste_thread_init(&of->thread, &of->blocks, &of->rows.listener);
    waste_pages_init(&of->pages);
    of->thread.pages = &of->pages;
    return &of->consumer;
}
