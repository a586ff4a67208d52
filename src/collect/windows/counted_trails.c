#include "collect/windows/counted_trails.h"

#include "process/selection.h"
#include "profile/batch.h"
#include "wire/channel.h"
#include "wire/u128.h"

#include <string.h>

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
    vec_release(&trails->places);
    vec_release(&trails->starts);
    vec_release(&trails->targets);
    vec_release(&trails->pairs);
    vec_release(&trails->touched);
}

void counted_trails_sample(struct counted_trails *trails, const struct event_walk *walk,
                           uint64_t ns)
{
    trails->sampled_ns += ns;
    trails->ticks += walk->counted ? walk->counted_ticks : 0;
    trails->trails += walk->counted != 0;
}

/* ---- places */

static uint32_t place_at(struct counted_trails *trails, uint64_t avma, struct place at)
{
    uint32_t index = map_add(&trails->addresses, &avma);
    if (index == trails->places.n)
        *vec_push(&trails->places) = (struct trail_place){.at = at};
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

/* What was translated since the last time. */
static void follow(struct counted_trails *trails)
{
    const struct units *units = trails->units;
    for (size_t i = trails->starts.n; i < units->superblocks.n; i++) {
        const struct unit_segment *first =
            &units->segments.at[units->superblocks.at[i].first_segment];
        *vec_push(&trails->starts) = place_at(trails, first->start, first->at);
    }
    for (size_t i = trails->targets.n; i < units->segments.n; i++)
        segment_list(trails, &units->segments.at[i]);
    for (size_t i = trails->pairs.n; i < units->pairs.n; i++)
        *vec_push(&trails->pairs) =
            place_at(trails, units->pairs.at[i].target, units->pairs.at[i].to);
}

static void arrive(struct counted_trails *trails, uint32_t place, int64_t n)
{
    if (place == MAP_NONE || !n)
        return;
    trails->places.at[place].unexplained += n;
    *vec_push(&trails->touched) = place;
}

/* ---- superblocks */

/* How much one execution weighs. */
struct trail_weight {
    uint64_t time, count;
};

static struct tally_flow flow_of(const struct trail_weight *weight, uint64_t n)
{
    return (struct tally_flow){.time = n * weight->time, .count = n * weight->count};
}

static uint64_t fresh(const struct counted_trails *trails, uint64_t counter)
{
    return counter < trails->fresh.n ? trails->fresh.at[counter] : 0;
}

/* Counters move while they are read: never more leaves than has entered. */
static uint64_t leave(struct counted_trails *trails, const struct superblock *superblock,
                      uint32_t i, uint64_t entered, const struct trail_weight *weight)
{
    const struct unit_segment *segment = &trails->units->segments.at[superblock->first_segment + i];
    uint32_t target = trails->targets.at[superblock->first_segment + i];
    bool last = i + 1 == superblock->n_segments, cond = segment->end == SEGMENT_COND;
    uint64_t left = last ? entered : 0;
    if (cond) {
        left = fresh(trails, (uint64_t)superblock->counter + 1 + i);
        left = left < entered ? left : entered;
    }
    struct tally_exit *exits = trails->expansion->tally->exits.at;
    tally_flow_add(&exits[superblock->first_exit + i].flow, flow_of(weight, left));
    arrive(trails, target, -(int64_t)left);
    if (!cond || !last)
        return entered - left;
    tally_flow_add(&exits[superblock->first_exit + i + 1].flow, flow_of(weight, entered - left));
    uint64_t next = segment->start + segment->bytes;
    arrive(trails, map_find(&trails->addresses, &next), -(int64_t)(entered - left));
    return 0;
}

static void superblock_read(struct counted_trails *trails, uint32_t index,
                            const struct trail_weight *weight)
{
    const struct superblock *superblock = &trails->units->superblocks.at[index];
    uint64_t entered = superblock->counter ? fresh(trails, superblock->counter) : 0;
    if (!entered)
        return;
    arrive(trails, trails->starts.at[index], (int64_t)entered);
    tally_touch(trails->expansion->tally, index);
    for (uint32_t i = 0; i < superblock->n_segments; i++)
        entered = leave(trails, superblock, i, entered, weight);
}

static void pair_read(struct counted_trails *trails, uint32_t index,
                      const struct trail_weight *weight)
{
    const struct pair *pair = &trails->units->pairs.at[index];
    uint64_t n = fresh(trails, pair->counter);
    if (!n)
        return;
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

/* ---- counters */

/* Instructions that the fresh counters stand for. */
static uint64_t fresh_instructions(const struct counted_trails *trails)
{
    const struct units *units = trails->units;
    uint64_t sum = 0;
    for (size_t i = 0; i < units->superblocks.n; i++) {
        const struct superblock *superblock = &units->superblocks.at[i];
        uint64_t entered = superblock->counter ? fresh(trails, superblock->counter) : 0;
        for (uint32_t s = 0; entered && s < superblock->n_segments; s++) {
            const struct unit_segment *segment = &units->segments.at[superblock->first_segment + s];
            sum += entered * segment->instructions;
            uint64_t left = segment->end == SEGMENT_COND
                                ? fresh(trails, (uint64_t)superblock->counter + 1 + s)
                                : 0;
            entered -= left < entered ? left : entered;
        }
    }
    return sum;
}

/* False: nothing was counted. Counters have 32 bits, and may have begun anew. */
static bool counters_read(struct counted_trails *trails)
{
    const uint32_t *counters =
        (const void *)((const unsigned char *)trails->channel + CHANNEL_COUNTERS_AT);
    uint64_t n = __atomic_load_n(&trails->channel->counters, __ATOMIC_ACQUIRE);
    const uint64_t most = CHANNEL_COUNTERS_BYTES / sizeof *counters;
    n = n < trails->units->counters ? n : trails->units->counters;
    n = n < most ? n : most;
    while (trails->read.n < n)
        *vec_push(&trails->read) = *vec_push(&trails->fresh) = 0;
    bool any = false;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t now = __atomic_load_n(&counters[i], __ATOMIC_RELAXED);
        trails->fresh.at[i] = now - trails->read.at[i];
        any |= trails->fresh.at[i] != 0;
        trails->read.at[i] = now;
    }
    return any;
}

void counted_trails_read(struct counted_trails *trails)
{
    if (!trails->ticks || !trails->sampled_ns)
        return;
    follow(trails);
    expansion_follow(trails->expansion);
    uint64_t instructions = counters_read(trails) ? fresh_instructions(trails) : 0;
    if (!instructions)
        return;
    u128 units = (u128)trails->sampled_ns << UNIT_BITS;
    struct trail_weight weight = {
        .time = (uint64_t)((units + instructions / 2) / instructions),
        .count = (uint64_t)((units << RATE_BITS) / trails->ticks),
    };
    for (uint32_t i = 0; i < trails->units->superblocks.n; i++)
        superblock_read(trails, i, &weight);
    for (uint32_t i = 0; i < trails->units->pairs.n; i++)
        pair_read(trails, i, &weight);
    returns_read(trails, &weight);
    batch_add_window(trails->batch, weight.time * instructions, weight.count * instructions);
    trails->instructions += instructions;
    trails->all_ticks += trails->ticks;
    trails->sampled_ns = trails->ticks = 0;
}
