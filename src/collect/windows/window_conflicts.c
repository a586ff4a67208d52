/* Conflicts between memory accesses of windows that have addresses (values/conflicts.h). */
#include "base/memory.h"
#include "collect/windows/window_consumer.h"
#include "values/conflicts.h"

struct window_conflicts {
    struct window_consumer consumer;
    struct conflicts conflicts;
};

static void conflicts_see(struct window_consumer *consumer, const struct weighed_window *window)
{
    struct conflicts *conflicts = &((struct window_conflicts *)consumer)->conflicts;
    conflicts->sharing.soon = window->tsc_hz / 2;
    if (window->whole.n_words)
        conflicts_window(conflicts, &window->whole, window->walk->tsc);
}

static void conflicts_sum(const struct window_consumer *consumer, struct window_sums *sums)
{
    const struct window_conflicts *of = (const struct window_conflicts *)consumer;
    sums->losses[LOSS_conflicts_crowded] += of->conflicts.crowded;
    sums->losses[LOSS_conflicts_unread] += of->conflicts.unread;
}

static void conflicts_close(struct window_consumer *consumer)
{
    conflicts_release(&((struct window_conflicts *)consumer)->conflicts);
    mem_free(consumer);
}

struct window_consumer *window_conflicts_open(const struct window_setting *setting)
{
    static const struct window_consumer_kind kind = {
        .window = conflicts_see, .sum = conflicts_sum, .release = conflicts_close};
    if (!(setting->session->options->record.events & EVENTS_ADDRESS))
        return NULL;
    struct window_conflicts *to = mem_alloc(sizeof *to);
    to->consumer.kind = &kind;
    conflicts_init(&to->conflicts, setting->units, setting->batch);
    to->conflicts.by_callers = setting->session->options->value_callers;
    return &to->consumer;
}
