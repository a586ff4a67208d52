#include "collect/windows/counted_trails.h"

#include "collect/windows/weighing.h"
#include "process/selection.h"
#include "profile/batch.h"
#include "profile/sums.h"
#include "wire/channel.h"
#include "wire/u128.h"

enum { COUNTERS_MOST = CHANNEL_COUNTERS_BYTES / sizeof(uint32_t) };

void counted_trails_init(struct counted_trails *trails, struct expansion *expansion,
                         struct channel *channel)
{
    *trails = (struct counted_trails){.channel = channel,
                                      .units = expansion->units,
                                      .expansion = expansion,
                                      .batch = expansion->batch};
    map_init(&trails->addresses, sizeof(uint64_t));
}

void counted_trails_release(struct counted_trails *trails)
{
    map_release(&trails->addresses);
    vec_release(&trails->read);
    vec_release(&trails->fresh);
    vec_release(&trails->owners);
    vec_release(&trails->changed);
    vec_release(&trails->entered);
    vec_release(&trails->taken);
    vec_release(&trails->places);
    vec_release(&trails->blocks);
    vec_release(&trails->targets);
    vec_release(&trails->pairs);
    vec_release(&trails->touched);
}

static void long_add(struct trail_rates *rates, const struct event_walk *walk)
{
    uint64_t rate = ((uint64_t)walk->counted << RATE_BITS) / walk->warm_ticks;
    rate = rate < RATE_MAX ? rate : RATE_MAX;
    rates->long_n++;
    rates->long_rates += rate;
    rates->long_rates_yy += rate * rate;
}

void counted_trails_rates_add(struct trail_rates *sum, const struct trail_rates *more)
{
    sum_add(&sum->time, more->time);
    sum_add(&sum->count, more->count);
    sum->long_n += more->long_n;
    sum->long_rates += more->long_rates;
    sum->long_rates_yy += more->long_rates_yy;
    sum_add(&sum->in_copies, more->in_copies);
    sum_add(&sum->in_copies_ticks, more->in_copies_ticks);
}

void counted_trails_sample(struct counted_trails *trails, const struct event_walk *walk,
                           uint64_t ns)
{
    trails->sampled_ns += ns;
    if (!walk->counted)
        return;
    trails->told += walk->counted;
    trails->ticks += walk->counted_ticks;
    trails->trails++;
    if (walk->copies_ticks) {
        sum_add(&trails->rates.in_copies, walk->counted);
        sum_add(&trails->rates.in_copies_ticks, walk->copies_ticks);
    }
    if (walk->warm_ticks)
        long_add(&trails->rates, walk);
}

/* ---- what was translated */

/* Where a module was unloaded, another may lie by now. */
static uint32_t place_at(struct counted_trails *trails, uint64_t avma, struct place at)
{
    uint32_t index = map_add(&trails->addresses, &avma);
    if (index == trails->places.n)
        (void)vec_push(&trails->places);
    trails->places.at[index].at = at;
    return index;
}

static void segment_list(struct counted_trails *trails, const struct unit_segment *segment)
{
    bool call = segment->end == SEGMENT_CALL || segment->end == SEGMENT_ICALL;
    *vec_push(&trails->targets) =
        segment->target ? place_at(trails, segment->target, segment->to) : MAP_NONE;
    if (!call)
        return;
    uint32_t behind = place_at(trails, segment->start + segment->bytes, segment_next(segment));
    trails->places.at[behind].behind_call = true;
}

/* The first that claims a counter has it: no two do, unless the program has written over them. */
static void counter_own(struct counted_trails *trails, uint32_t counter, int32_t owner)
{
    if (!counter || counter >= COUNTERS_MOST)
        return;
    while (trails->owners.n <= counter)
        *vec_push(&trails->owners) = 0;
    if (!trails->owners.at[counter])
        trails->owners.at[counter] = owner;
}

static void block_list(struct counted_trails *trails, uint32_t index)
{
    const struct units *units = trails->units;
    const struct superblock *superblock = &units->superblocks.at[index];
    const struct unit_segment *first = &units->segments.at[superblock->first_segment];
    const struct unit_segment *last = first + superblock->n_segments - 1;
    uint32_t fall = last->end != SEGMENT_COND
                        ? MAP_NONE
                        : place_at(trails, last->start + last->bytes, segment_next(last));
    *vec_push(&trails->blocks) =
        (struct trail_block){.start = place_at(trails, first->start, first->at), .fall = fall};
    counter_own(trails, superblock->counter, (int32_t)index + 1);
}

static void follow(struct counted_trails *trails)
{
    const struct units *units = trails->units;
    for (uint32_t i = (uint32_t)trails->blocks.n; i < units->superblocks.n; i++)
        block_list(trails, i);
    for (size_t i = trails->targets.n; i < units->segments.n; i++)
        segment_list(trails, &units->segments.at[i]);
    for (uint32_t i = (uint32_t)trails->pairs.n; i < units->pairs.n; i++) {
        const struct pair *pair = &units->pairs.at[i];
        *vec_push(&trails->pairs) = place_at(trails, pair->target, pair->to);
        counter_own(trails, pair->counter, -(int32_t)i - 1);
    }
}

/* ---- counters */

static void counter_change(struct counted_trails *trails, uint32_t counter, uint32_t now)
{
    int32_t owner = counter < trails->owners.n ? trails->owners.at[counter] : 0;
    trails->fresh.at[counter] = now - trails->read.at[counter];
    trails->read.at[counter] = now;
    *vec_push(&trails->changed) = counter;
    if (owner > 0)
        *vec_push(&trails->entered) = (uint32_t)owner - 1;
    else if (owner < 0)
        *vec_push(&trails->taken) = (uint32_t)(-owner) - 1;
}

/* Counters have 32 bits, and may have begun anew. Few of them change between two readings. */
static void counters_read(struct counted_trails *trails)
{
    const uint32_t *counters =
        (const void *)((const unsigned char *)trails->channel + CHANNEL_COUNTERS_AT);
    uint64_t n = __atomic_load_n(&trails->channel->counters, __ATOMIC_ACQUIRE);
    n = n < trails->units->counters ? n : trails->units->counters;
    n = n < COUNTERS_MOST ? n : COUNTERS_MOST;
    while (trails->read.n < n)
        *vec_push(&trails->read) = *vec_push(&trails->fresh) = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t now = __atomic_load_n(&counters[i], __ATOMIC_RELAXED);
        if (now != trails->read.at[i])
            counter_change(trails, i, now);
    }
}

static void counters_forget(struct counted_trails *trails)
{
    for (size_t i = 0; i < trails->changed.n; i++)
        trails->fresh.at[trails->changed.at[i]] = 0;
    trails->changed.n = trails->entered.n = trails->taken.n = 0;
}

static uint64_t fresh(const struct counted_trails *trails, uint64_t counter)
{
    return counter < trails->fresh.n ? trails->fresh.at[counter] : 0;
}

/* How often the branch at the end of a segment was taken. Counters move while they are read: never
 * more leaves than has entered. */
static uint64_t branch_taken(const struct counted_trails *trails,
                             const struct superblock *superblock, uint32_t segment,
                             uint64_t entered)
{
    uint64_t taken = fresh(trails, (uint64_t)superblock->counter + 1 + segment);
    return taken < entered ? taken : entered;
}

/* Instructions that the fresh counters stand for. */
static uint64_t instructions_fresh(const struct counted_trails *trails)
{
    const struct units *units = trails->units;
    uint64_t sum = 0;
    for (size_t i = 0; i < trails->entered.n; i++) {
        const struct superblock *superblock = &units->superblocks.at[trails->entered.at[i]];
        uint64_t entered = fresh(trails, superblock->counter);
        for (uint32_t s = 0; s < superblock->n_segments; s++) {
            const struct unit_segment *segment = &units->segments.at[superblock->first_segment + s];
            sum += entered * segment->instructions;
            if (segment->end == SEGMENT_COND)
                entered -= branch_taken(trails, superblock, s, entered);
        }
    }
    return sum;
}

/* ---- flows */

static struct tally_flow flow_of(const struct trail_weight *weight, uint64_t n)
{
    return (struct tally_flow){.time = n * weight->time, .count = n * weight->count};
}

static void arrive(struct counted_trails *trails, uint32_t place, int64_t n)
{
    if (place == MAP_NONE || !n)
        return;
    trails->places.at[place].unexplained += n;
    *vec_push(&trails->touched) = place;
}

static void leave(struct counted_trails *trails, uint32_t exit, uint32_t to, uint64_t n,
                  const struct trail_weight *weight)
{
    tally_flow_add(&trails->expansion->tally->exits.at[exit].flow, flow_of(weight, n));
    arrive(trails, to, -(int64_t)n);
}

static void block_read(struct counted_trails *trails, uint32_t index,
                       const struct trail_weight *weight)
{
    const struct superblock *superblock = &trails->units->superblocks.at[index];
    const struct unit_segment *segments = &trails->units->segments.at[superblock->first_segment];
    const uint32_t *targets = &trails->targets.at[superblock->first_segment];
    uint32_t last = superblock->n_segments - 1;
    uint64_t entered = fresh(trails, superblock->counter);
    arrive(trails, trails->blocks.at[index].start, (int64_t)entered);
    tally_touch(trails->expansion->tally, index);
    for (uint32_t i = 0; i <= last; i++) {
        if (segments[i].end != SEGMENT_COND)
            continue;
        uint64_t taken = branch_taken(trails, superblock, i, entered);
        leave(trails, superblock->first_exit + i, targets[i], taken, weight);
        entered -= taken;
    }
    bool falls = segments[last].end == SEGMENT_COND;
    leave(trails, superblock->first_exit + last + falls,
          falls ? trails->blocks.at[index].fall : targets[last], entered, weight);
}

/* Each is an instruction that was counted: `left` are those that are not branches yet. More there
 * are only where the program has written over counters. */
static void pair_read(struct counted_trails *trails, uint32_t index,
                      const struct trail_weight *weight, uint64_t *left)
{
    const struct pair *pair = &trails->units->pairs.at[index];
    uint64_t n = fresh(trails, pair->counter);
    n = n < *left ? n : *left;
    *left -= n;
    arrive(trails, trails->pairs.at[index], -(int64_t)n);
    expansion_end(trails->expansion, pair->exit, pair->to, flow_of(weight, n));
}

/* Entries behind calls that nothing explains. A trail begins and ends anywhere: one entry more or
 * less at such a place is not a return, but no more than that. */
static void returns_read(struct counted_trails *trails, const struct trail_weight *weight)
{
    for (size_t i = 0; i < trails->touched.n; i++) {
        struct trail_place *place = &trails->places.at[trails->touched.at[i]];
        if (place->behind_call && place->unexplained > 0)
            expansion_return(trails->expansion, place->at,
                             flow_of(weight, (uint64_t)place->unexplained));
        place->unexplained = 0;
    }
    trails->touched.n = 0;
}

/* ---- a reading */

struct trail_weight trail_weigh(const struct trail_reading *reading, int64_t *left_units)
{
    uint64_t units = reading->sampled_ns << UNIT_BITS;
    int64_t all = (int64_t)units + *left_units;
    uint64_t most = reading->ticks * (RATE_MAX >> RATE_BITS), n = reading->instructions;
    uint64_t told = reading->told < most ? reading->told : most;
    if (all < (int64_t)n) {
        bool weighs = all > 0 && n / 2 <= told;
        *left_units = weighs ? all - (int64_t)n : all;
        return (struct trail_weight){.time = weighs,
                                     .count = weighs ? (told << RATE_BITS) / reading->ticks : 0};
    }
    *left_units = all % (int64_t)n;
    return (struct trail_weight){
        .time = (uint64_t)all / n,
        .count = (uint64_t)(((u128)units * told << RATE_BITS) / reading->ticks / n),
    };
}

void counted_trails_read(struct counted_trails *trails)
{
    if (!trails->ticks || !trails->sampled_ns)
        return;
    follow(trails);
    expansion_follow(trails->expansion);
    counters_read(trails);
    uint64_t instructions = instructions_fresh(trails), left = instructions;
    if (instructions) {
        const struct trail_reading reading = {trails->sampled_ns, trails->told, trails->ticks,
                                              instructions};
        struct trail_weight weight = trail_weigh(&reading, &trails->left_units);
        for (size_t i = 0; i < trails->entered.n; i++)
            block_read(trails, trails->entered.at[i], &weight);
        for (size_t i = 0; i < trails->taken.n; i++)
            pair_read(trails, trails->taken.at[i], &weight, &left);
        returns_read(trails, &weight);
        uint64_t time = weight.time * instructions, count = weight.count * instructions;
        batch_add_window(trails->batch, time, count);
        sum_add(&trails->rates.time, time);
        sum_add(&trails->rates.count, count);
        trails->instructions += instructions;
        trails->sampled_ns = trails->told = trails->ticks = 0;
    }
    counters_forget(trails);
}
