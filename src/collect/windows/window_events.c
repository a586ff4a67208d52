/* Events of windows one by one, for those who look at each: the recording's listener, and a
 * customisation module. Counts them on the way. */
#include "base/memory.h"
#include "collect/modules/module_values.h"
#include "collect/windows/window_consumer.h"

struct window_events {
    struct window_consumer consumer;
    const struct units *units;
    struct profile *profile;
    struct payload_sum *sum;
    struct payload_consumer *to[2];
    size_t n;
    struct module_values module; /* unless its host is NULL */
};

static void events_window(struct window_consumer *consumer, const struct weighed_window *window)
{
    struct window_events *events = (struct window_events *)consumer;
    if (window->whole.n_words)
        payloads_read(events->units, &window->whole, events->sum, events->to, events->n);
}

static void events_flush(struct window_consumer *consumer, const struct batch_end *end)
{
    struct window_events *events = (struct window_events *)consumer;
    if (events->module.host)
        module_values_flush(&events->module, end->batch, events->profile);
}

static void events_sum(const struct window_consumer *consumer, struct window_sums *sums)
{
    const struct window_events *events = (const struct window_events *)consumer;
    sums->losses[LOSS_module_silent] += events->module.lost;
    sums->losses[LOSS_module_full] += events->module.untold;
}

static void events_close(struct window_consumer *consumer)
{
    struct window_events *events = (struct window_events *)consumer;
    if (events->module.host)
        module_values_release(&events->module);
    mem_free(events);
}

struct window_consumer *window_events_open(const struct window_setting *setting)
{
    static const struct window_consumer_kind kind = {
        .window = events_window, .flush = events_flush, .sum = events_sum, .release = events_close};
    const struct recording_session *session = setting->session;
    if (!session_wants_events(session))
        return NULL;
    struct window_events *events = mem_alloc(sizeof *events);
    *events = (struct window_events){.consumer = {&kind},
                                     .units = setting->units,
                                     .profile = session->profile,
                                     .sum = setting->payloads};
    if (session->listener)
        events->to[events->n++] = session->listener;
    if (session->module) {
        module_values_init(&events->module, setting->units);
        events->module.host = session->module;
        events->to[events->n++] = &events->module.consumer;
    }
    return &events->consumer;
}
