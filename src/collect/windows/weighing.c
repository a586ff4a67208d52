#include "collect/windows/weighing.h"

#include "collect/windows/window_consumer.h"
#include "process/units.h"
#include "wire/plain.h"
#include "wire/u128.h"

void weighing_init(struct weighing *weighing, const struct units *units)
{
    *weighing = (struct weighing){.units = units};
    tally_init(&weighing->tally);
    rates_init(&weighing->rates);
}

void weighing_release(struct weighing *weighing)
{
    rates_release(&weighing->rates);
    tally_release(&weighing->tally);
}

struct event_walk weighing_part(struct weighing *weighing, const struct event_walk *whole,
                                const uint32_t *exits)
{
    const struct units *units = weighing->units;
    const struct tally *tally = &weighing->tally;
    struct event_walk part = *whole;
    uint64_t most = window_reach(&weighing->reach), instructions = 0;
    uint32_t n = 0;
    window_reach_add(&weighing->reach, whole->instructions, whole->flags & WALK_SHORT);
    if (whole->instructions <= most)
        return part;
    while (n < whole->n_exits && instructions < most && exits[n] < tally->exits.n)
        instructions += tally->exits.at[exits[n++]].instructions;
    int32_t next = n && n < whole->n_exits ? units_owner(units, exits[n]) : UNIT_NONE;
    if (next == UNIT_NONE || instructions < most)
        return part;
    part.n_exits = n;
    part.instructions = (uint32_t)instructions;
    part.end_pc = units->segments.at[units->superblocks.at[next].first_segment].start;
    return part;
}

/* ---- rates */

/* The superblock in which most of the window ran, and how much of it. */
static struct rate_place window_place(const struct weighing *weighing,
                                      const struct tally_window *window)
{
    const struct units *units = weighing->units;
    uint32_t block = weighing->tally.exits.at[window->most_exit].block;
    uint32_t segment = units->superblocks.at[block].first_segment;
    return (struct rate_place){.start = units->segments.at[segment].start,
                               .share = 16 * window->most / window->instructions};
}

/* Instructions per tick, 2^-RATE_BITS. */
static uint64_t rate_of(uint64_t instructions, uint64_t ticks)
{
    uint64_t rate = (instructions << RATE_BITS) / (ticks ? ticks : 1);
    return rate < 1 ? 1 : rate > RATE_MAX ? RATE_MAX : rate;
}

/* The rates of trails as they are: what copies cost in single ones scatters too much to be taken
 * off. It is known for the sum of a run. */
static void trail_add(struct weighing *weighing, const struct event_walk *walk,
                      const struct rate_place *place, uint64_t most)
{
    uint64_t rate = rate_of(walk->trail, walk->trail_ticks);
    uint64_t copies = plain_copies_ticks(weighing->copies_q8, walk->trail_direct,
                                         walk->trail_indirect, walk->counted ? walk->trail : 0);
    uint64_t native = plain_native_ticks(walk->trail_ticks, copies);
    struct trail_sum *trails = &weighing->trails;
    trails->n++;
    trails->instructions += walk->trail;
    trails->native_ticks += native;
    trails->rates += rate;
    trails->native_rates += rate_of(walk->trail, native);
    rates_add(&weighing->rates, place, rate < most ? rate : most);
}

/* The highest rate that a window of slow code can have. Its trail may have gone through other code,
 * and its place be that of other windows. */
static uint64_t rate_most(const struct weighing *weighing, const struct event_walk *walk)
{
    uint64_t ticks = (uint64_t)((u128)walk->slow_ns * weighing->tsc_hz / 1000000000);
    return ticks ? rate_of(walk->instructions, ticks) : RATE_MAX;
}

static uint64_t place_rate(struct weighing *weighing, const struct event_walk *walk,
                           const struct rate_place *place)
{
    uint64_t most = rate_most(weighing, walk);
    if ((walk->flags & WALK_TIMED) && walk->trail && walk->trail_ticks)
        trail_add(weighing, walk, place, most);
    rates_meet(&weighing->rates, weighing->tally.exits_seen.n);
    uint64_t rate = rates_expect(&weighing->rates, place, 1u << RATE_BITS);
    return rate < most ? rate : most;
}

/* ---- weights */

/* In sixteenths. */
static uint32_t value_weight(double relative)
{
    relative = relative * (1 << VALUE_BITS) + 0.5;
    return relative < 1 ? 1 : relative > VALUE_WEIGHT_MAX ? VALUE_WEIGHT_MAX : (uint32_t)relative;
}

/* Values weigh as their instructions do, relative to the mean of all windows so far. */
static void values_weigh(struct weighing *weighing, struct weighed_window *window)
{
    double instructions = (double)window->weight.instructions;
    double executions = (double)window->weight.units * (double)window->weight.rate;
    weighing->mean.executions += executions;
    weighing->mean.instructions += instructions;
    weighing->mean.windows++;
    double each = executions / instructions, all = weighing->mean.executions;
    window->value_weight = value_weight(each * weighing->mean.instructions / all);
    window->passage_weight = value_weight(executions * weighing->mean.windows / all);
}

bool weighing_window(struct weighing *weighing, const struct event_walk *part,
                     const uint32_t *exits, uint64_t stands_for_ns, struct weighed_window *ret)
{
    struct tally_window window = {0};
    bool possible = tally_window(&weighing->tally, exits, part->n_exits, &window);
    weighing->garbled += !possible;
    if (!possible || !window.instructions)
        return false;
    struct rate_place place = window_place(weighing, &window);
    *ret = (struct weighed_window){.walk = part,
                                   .weight = {.instructions = window.instructions,
                                              .units = stands_for_ns << UNIT_BITS,
                                              .rate = place_rate(weighing, part, &place)},
                                   .stands_for_ns = stands_for_ns,
                                   .tsc_hz = weighing->tsc_hz};
    values_weigh(weighing, ret);
    weighing->miscounted += window.instructions != part->instructions;
    return true;
}

struct tally_weight weighing_compressed(struct weighing *weighing, const struct event_walk *walk,
                                        uint64_t stands_for_ns)
{
    struct rate_place place = {.start = walk->pc};
    return (struct tally_weight){.instructions = walk->instructions,
                                 .units = stands_for_ns << UNIT_BITS,
                                 .rate = place_rate(weighing, walk, &place)};
}

uint64_t weighing_variety(const struct weighing *weighing)
{
    const struct rate_sum *variety = &weighing->rates.variety;
    return variety->n ? variety->sum / variety->n : 0;
}

void weighing_tell(const struct weighing *weighing, struct channel *channel)
{
    __atomic_store_n(&channel->variety, weighing_variety(weighing), __ATOMIC_RELAXED);
}
