#include "model/pmu/bank.h"

#include "base/err.h"
#include "model/core/model.h"

const struct bank_event bank_events[BANK_COUNTERS] = {
    {"inst_retired", COUNTER_RETIRED, false, 1},
    {"inst_retired.pebs", COUNTER_RETIRED, true, 1},
    {"inst_retired.0", COUNTER_IDLE_CYCLES, false, 1},
    {"inst_retired.4", COUNTER_BUSY_CYCLES, false, 1},
    {"cpu_clk_unhalted", COUNTER_CYCLES, false, 1},
    {"dtlb_miss", COUNTER_DTLB_MISSES, false, 8},
    {"l1i_miss", COUNTER_L1I_MISSES, false, 8},
    {"l2_miss", COUNTER_L2_MISSES, false, 16},
    {"l3_miss", COUNTER_L3_MISSES, false, 16},
    {"br_misp", COUNTER_MISPREDICTS, false, 8},
};

static bool is_prime(uint64_t n)
{
    for (uint64_t i = 2; i * i <= n; i++)
        if (n % i == 0)
            return false;
    return n >= 2;
}

uint64_t bank_prime(uint64_t n)
{
    while (!is_prime(n))
        n++;
    return n;
}

static uint64_t period_least(const struct bank_event *event, uint64_t period)
{
    return bank_prime(period / event->part);
}

/* Below a third of the period. */
static uint64_t period_mask(const struct bank_event *event, uint64_t period)
{
    uint64_t mask = 0;
    while (!event->precise && 3 * (2 * mask + 1) <= period_least(event, period))
        mask = 2 * mask + 1;
    return mask;
}

uint64_t bank_period(const struct bank_event *event, uint64_t period)
{
    return period_least(event, period) + period_mask(event, period) / 2;
}

uint32_t bank_stall(const struct bank_event *event, const struct model *model)
{
    switch (event->event) {
    case COUNTER_DTLB_MISSES: return model->l2tlb ? model->l2tlb_cycles : model->walk_cycles;
    case COUNTER_L1I_MISSES: return model->l2_cycles;
    case COUNTER_L2_MISSES: return model->l3_cycles;
    case COUNTER_L3_MISSES:
        return model->memory_cycles > model->l3_cycles ? model->memory_cycles - model->l3_cycles
                                                       : 0;
    case COUNTER_MISPREDICTS: return model->mispredict + model->decode_depth;
    default: return 0;
    }
}

static void sample_take(void *context, struct avma at, struct avma cause)
{
    struct bank_counter *of = context;
    (void)cause;
    of->bank->sample(of->bank->context, &bank_events[of - of->bank->counters], at);
}

void bank_init(struct bank *bank, uint64_t period, uint64_t seed,
               void (*sample)(void *context, const struct bank_event *event, struct avma at),
               void *context)
{
    bank->sample = sample;
    bank->context = context;
    for (int i = 0; i < BANK_COUNTERS; i++) {
        const struct bank_event *event = &bank_events[i];
        struct counter_setup setup = {.event = event->event,
                                      .period = period_least(event, period),
                                      .mask = period_mask(event, period),
                                      .skid_least = BANK_SKID,
                                      .skid_most = BANK_SKID,
                                      .precise = event->precise,
                                      .arming = BANK_ARMING,
                                      .seed = seed + (uint64_t)i};
        bank->counters[i].bank = bank;
        counter_init(&bank->counters[i].counter, &setup, sample_take, &bank->counters[i]);
    }
}

void bank_see(struct bank *bank, const struct pmu_step *step)
{
    for (int i = 0; i < BANK_COUNTERS; i++)
        counter_see(&bank->counters[i].counter, step);
}
