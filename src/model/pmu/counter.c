#include "model/pmu/counter.h"

#include "base/err.h"

#define NEVER UINT64_MAX

static uint64_t period_draw(struct counter *counter)
{
    const struct counter_setup *setup = &counter->setup;
    if (setup->mask)
        return setup->period + (random_next(&counter->random) & setup->mask);
    return setup->period - setup->spread + random_below(&counter->random, 2 * setup->spread + 1);
}

static uint64_t skid_draw(struct counter *counter)
{
    const struct counter_setup *setup = &counter->setup;
    return setup->skid_least +
           random_below(&counter->random, setup->skid_most - setup->skid_least + (uint64_t)1);
}

/* Cycles need no counting: the next overflow is known. */
static void counter_start(struct counter *counter, uint64_t from)
{
    counter->from = from;
    counter->left = period_draw(counter);
    counter->due =
        counter->setup.event == COUNTER_CYCLES ? from + counter->left + skid_draw(counter) : NEVER;
}

void counter_init(struct counter *counter, const struct counter_setup *setup,
                  void (*sample)(void *context, struct avma at, struct avma cause), void *context)
{
    ASSERT(setup->period > setup->spread && setup->skid_most >= setup->skid_least);
    ASSERT(!setup->precise ||
           (setup->event != COUNTER_CYCLES && setup->event != COUNTER_IDLE_CYCLES));
    *counter = (struct counter){.setup = *setup, .sample = sample, .context = context};
    counter->random.state = setup->seed;
    counter_start(counter, 0);
}

/* When its event was; 0: it had none. */
static uint64_t event_time(const struct counter *counter, const struct pmu_step *step)
{
    const struct core_times *times = step->times;
    uint64_t retire = step->aborted ? 0 : times->retire;
    switch (counter->setup.event) {
    case COUNTER_RETIRED: return retire;
    case COUNTER_BRANCHES: return step->insn->kind != INSN_PLAIN ? retire : 0;
    case COUNTER_MISPREDICTS: return times->events & CORE_MISPREDICT ? retire : 0;
    case COUNTER_LOADS: return times->load_issue;
    case COUNTER_L1D_MISSES: return times->events & CORE_L1D_MISS ? times->load_issue : 0;
    case COUNTER_DTLB_MISSES: return times->events & CORE_DTLB_MISS ? times->load_issue : 0;
    case COUNTER_L2_MISSES: return times->events & CORE_L2_MISS ? times->load_issue : 0;
    case COUNTER_L3_MISSES: return times->events & CORE_L3_MISS ? times->load_issue : 0;
    case COUNTER_L1I_MISSES: return times->events & CORE_L1I_MISS ? times->fetch : 0;
    case COUNTER_BUSY_CYCLES: return counter->group == COUNTER_BUSY ? retire : 0;
    case COUNTER_CYCLES:
    case COUNTER_IDLE_CYCLES: return 0;
    }
    return 0;
}

static bool is_held(const struct counter *counter, uint64_t at)
{
    return at >= counter->setup.held_begin.v && at < counter->setup.held_end.v;
}

static void interrupt(struct counter *counter, uint64_t at)
{
    if (counter->setup.event == COUNTER_CYCLES) {
        counter->cause.v = at;
        counter->overflows++;
    }
    counter->sample(counter->context, (struct avma){at}, counter->cause);
    counter_start(counter, counter->due);
}

/* An event of one that is far ahead of retirement: who retires when the interrupt comes is known
 * already. */
static bool interrupt_behind(struct counter *counter)
{
    uint64_t n = counter->retired < COUNTER_RING ? counter->retired : COUNTER_RING;
    struct counter_retired *oldest = NULL;
    for (uint64_t i = 1; i <= n; i++) {
        struct counter_retired *one = &counter->ring[(counter->retired - i) % COUNTER_RING];
        if (one->retire <= counter->due)
            break;
        oldest = is_held(counter, one->at) ? oldest : one;
    }
    if (oldest)
        interrupt(counter, oldest->at);
    return oldest;
}

static void overflow(struct counter *counter, const struct pmu_step *step, uint64_t time)
{
    counter->overflows++;
    counter->cause = step->fact->at;
    counter->due = time + (counter->setup.precise ? counter->setup.arming : skid_draw(counter));
    if (!counter->setup.precise)
        interrupt_behind(counter);
}

/* Cycles between two retirements may be many: the counter can overflow in them more than once. */
static void idle_see(struct counter *counter, const struct pmu_step *step, uint64_t last)
{
    uint64_t retire = step->times->retire, first = last + 1;
    while (counter->due == NEVER) {
        first = first > counter->from ? first : counter->from + 1;
        if (first >= retire)
            return;
        if (counter->left > retire - first) {
            counter->left -= retire - first;
            return;
        }
        overflow(counter, step, first + counter->left - 1);
    }
}

static void group_see(struct counter *counter, const struct pmu_step *step)
{
    uint64_t last = counter->last_retire, retire = step->times->retire;
    counter->group = retire == last ? counter->group + 1 : 1;
    counter->last_retire = retire;
    if (counter->setup.event == COUNTER_IDLE_CYCLES && last && retire > last)
        idle_see(counter, step, last);
}

static void retirement_see(struct counter *counter, const struct pmu_step *step)
{
    uint64_t at = step->fact->at.v, retire = step->times->retire;
    counter->ring[counter->retired++ % COUNTER_RING] = (struct counter_retired){at, retire};
    while (!counter->setup.precise && counter->due != NEVER && retire > counter->due &&
           !is_held(counter, at))
        interrupt(counter, at);
}

void counter_see(struct counter *counter, const struct pmu_step *step)
{
    if (!step->aborted) {
        retirement_see(counter, step);
        group_see(counter, step);
    }
    uint64_t time = event_time(counter, step);
    if (!time || time <= counter->from)
        return;
    if (counter->due == NEVER) {
        if (--counter->left == 0)
            overflow(counter, step, time);
    } else if (counter->setup.precise && time >= counter->due && !step->aborted) {
        counter->sample(counter->context, step->fact->next, counter->cause);
        counter_start(counter, time);
    }
}
