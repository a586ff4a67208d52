#include "lab/pipeline/pairs.h"

#include "model/core/model.h"
#include "records/named.h"

#include <math.h>
#include <string.h>

static void records_take(void *context, const struct sample *samples, size_t n)
{
    struct pairs *pairs = context;
    for (size_t i = 0; i + 1 < n; i += 2)
        ledger_add_pair(&pairs->ledger, &samples[i], &samples[i + 1]);
}

static bool ledger_make(struct pairs *pairs, uint32_t window, size_t limit, struct err *err)
{
    static const char *const by[] = {"pc", NULL};
    static struct metric wasted[2];
    struct parameter parameters[] = {
        {"width", pairs->width}, {"window", window}, {"cycles", 1}, {NULL, 0}};
    for (const struct metric *metric = metrics_pairs; metric->name; metric++)
        if (strcmp(metric->name, "wasted_slots") == 0)
            wasted[0] = *metric;
    return ledger_open(&pairs->ledger, by, wasted, parameters, limit, err);
}

bool pairs_open(struct pairs *pairs, const struct model *model, uint64_t interval, size_t limit,
                struct err *err)
{
    struct profileme_setup setup = {.interval = interval,
                                    .window = profileme_window(model),
                                    .tags = PROFILEME_TAGS,
                                    .buffer = 16,
                                    .seed = 1};
    *pairs = (struct pairs){.width = model->dispatch_width};
    if (!ledger_make(pairs, setup.window, limit, err))
        return false;
    truth_init(&pairs->truth);
    pairs->unit = profileme_make(&setup, records_take, pairs);
    return true;
}

void pairs_release(struct pairs *pairs)
{
    profileme_free(pairs->unit);
    truth_release(&pairs->truth);
    ledger_release(&pairs->ledger);
}

void pairs_see(struct pairs *pairs, const struct pmu_step *step)
{
    truth_see(&pairs->truth, step);
    profileme_see(pairs->unit, step);
}

void pairs_finish(struct pairs *pairs)
{
    profileme_finish(pairs->unit);
    truth_finish(&pairs->truth);
}

double pairs_wasted(const struct pairs *pairs, const struct truth_row *row)
{
    return (double)row->in_progress * pairs->width - (double)row->overlap;
}

struct metric_estimate pairs_estimate(const struct pairs *pairs, struct avma at,
                                      uint64_t *ret_records)
{
    uint64_t key[LEDGER_KEYS] = {at.v};
    uint32_t index = map_find(&pairs->ledger.keys, key);
    *ret_records = 0;
    if (index == MAP_NONE)
        return (struct metric_estimate){(double)NAN, (double)NAN, (double)NAN};
    *ret_records = pairs->ledger.at[index].sums[0].n;
    return metric_total(&pairs->ledger.at[index].sums[0]);
}
