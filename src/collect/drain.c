#include "collect/drain.h"

#include "base/memory.h"
#include "profile/sums.h"

#include <string.h>
#include <time.h>

/* At most: as often as the profile is appended to. Between two readings the program has evicted our
 * memory from the caches, and fetching it again is most of what a reading costs. */
static const uint64_t DELAY_FIRST_NS = 100000000, DELAY_MIN_NS = 5000000, DELAY_MAX_NS = 900000000;

static uint64_t own_cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void drain_init(struct drain *drain, struct share *share, struct profile *profile,
                enum record_mode mode)
{
    *drain = (struct drain){.share = share,
                            .profile = profile,
                            .mode = mode,
                            .tool_ns_told = own_cpu_ns(),
                            .delay_ns = DELAY_FIRST_NS};
}

void drain_release(struct drain *drain)
{
    for (int i = 0; i < CHANNEL_N; i++) {
        if (drain->sources[i])
            source_release(drain->sources[i]);
        mem_free(drain->sources[i]);
        if (drain->mapped[i])
            share_unmap(drain->mapped[i]);
    }
    *drain = (struct drain){0};
}

/* ---- reading */

static bool source_live(const struct source *source)
{
    return source && __atomic_load_n(&source->channel->state, __ATOMIC_ACQUIRE) == CHANNEL_LIVE;
}

/* A channel is looked at once its process says that it is live. */
static void source_open(struct drain *drain, uint32_t index)
{
    int32_t pid = __atomic_load_n(&drain->share->directory->claimed_by[index], __ATOMIC_ACQUIRE);
    if (!pid)
        return;
    if (!drain->mapped[index])
        drain->mapped[index] = share_map(drain->share, index);
    struct channel *channel = drain->mapped[index];
    if (!channel || __atomic_load_n(&channel->state, __ATOMIC_ACQUIRE) == CHANNEL_EMPTY)
        return;
    drain->sources[index] = mem_alloc(sizeof *drain->sources[index]);
    source_init(drain->sources[index], channel, drain->mode, pid, drain->profile);
}

/* Our CPU time since the last time, in equal parts to the processes that are there to pay for it. */
static void tell_cost(struct drain *drain)
{
    uint32_t live = 0;
    for (int i = 0; i < CHANNEL_N; i++)
        live += source_live(drain->sources[i]);
    uint64_t now = own_cpu_ns();
    uint64_t more = now - drain->tool_ns_told;
    drain->tool_ns_told = now;
    for (int i = 0; i < CHANNEL_N; i++) {
        if (!source_live(drain->sources[i]))
            continue;
        drain->tool_ns[i] += more / live;
        __atomic_store_n(&drain->sources[i]->channel->tool_cpu_ns, drain->tool_ns[i],
                         __ATOMIC_RELAXED);
    }
}

/* Aims at rings between a sixteenth and a quarter full. */
static void choose_delay(struct drain *drain, uint64_t fullest)
{
    uint64_t delay = drain->delay_ns;
    if (fullest > CHANNEL_RING_BYTES / 4)
        delay /= 2;
    else if (fullest < CHANNEL_RING_BYTES / 16)
        delay += delay / 2;
    drain->delay_ns = delay < DELAY_MIN_NS   ? DELAY_MIN_NS
                      : delay > DELAY_MAX_NS ? DELAY_MAX_NS
                                             : delay;
}

void drain_read(struct drain *drain)
{
    uint64_t fullest = 0;
    for (uint32_t i = 0; i < CHANNEL_N; i++) {
        if (!drain->sources[i])
            source_open(drain, i);
        if (!drain->sources[i])
            continue;
        uint64_t bytes = source_read(drain->sources[i]);
        if (bytes > fullest)
            fullest = bytes;
    }
    drain->quiet = drain->quiet && !fullest;
    choose_delay(drain, fullest);
    tell_cost(drain);
}

void drain_count(struct drain *drain, bool last)
{
    for (int i = 0; i < CHANNEL_N; i++)
        if (drain->sources[i])
            source_count(drain->sources[i], last || drain->quiet, last);
    drain->quiet = true;
}

/* ---- adding up */

static uint64_t ticks_to_ns(uint64_t ticks, uint64_t tsc_hz)
{
    return tsc_hz ? (uint64_t)((u128)ticks * 1000000000u / tsc_hz) : 0;
}

/* The process called exec: it goes on in another channel. */
static bool replaced(const struct drain *drain, const struct source *source)
{
    for (int i = 0; i < CHANNEL_N; i++) {
        const struct source *other = drain->sources[i];
        if (other && other != source && other->mappings.pid == source->mappings.pid &&
            share_load(&other->channel->start_tsc) > share_load(&source->channel->start_tsc))
            return true;
    }
    return false;
}

/* A process that neither left its exact run nor said goodbye was stopped in the middle of it. */
static bool killed(const struct drain *drain, const struct source *source)
{
    return source_live(source) && !share_load(&source->channel->losses[LOSS_exact_left]) &&
           !replaced(drain, source);
}

static void totals_of(const struct source *source, struct totals *totals)
{
    const struct channel *channel = source->channel;
    uint64_t tsc_hz = share_load(&channel->tsc_hz);
    uint64_t interrupts = share_load(&channel->interrupts);
    uint64_t ticks =
        share_load(&channel->handler_ticks) + interrupts * share_load(&channel->delivery_ticks);
    sum_add(&totals->interrupts, interrupts);
    sum_add(&totals->agent_ns, ticks_to_ns(ticks, tsc_hz));
    for (int i = 0; i < LOSS_N; i++)
        sum_add(&totals->losses[i], share_load(&channel->losses[i]));
    sum_add(&totals->losses[LOSS_garbled], source_garbled(source));
    if (source->decode) {
        sum_add(&totals->windows, source->decode->windows);
        sum_add(&totals->instructions, source->decode->instructions);
        sum_add(&totals->losses[LOSS_unmapped], source->decode->unmapped);
    } else {
        sum_add(&totals->instructions, source->exact->instructions);
    }
}

void drain_totals(const struct drain *drain, bool gone, struct totals *ret_totals)
{
    *ret_totals = (struct totals){0};
    for (int i = 0; i < CHANNEL_N; i++) {
        const struct source *source = drain->sources[i];
        if (!source)
            continue;
        totals_of(source, ret_totals);
        if (source->exact && gone && killed(drain, source))
            sum_add(&ret_totals->losses[LOSS_killed], 1);
    }
    sum_add(&ret_totals->losses[LOSS_no_channel],
            share_load(&drain->share->directory->not_claimed));
}

uint64_t drain_walked_ns(const struct drain *drain)
{
    uint64_t ns = 0;
    for (int i = 0; i < CHANNEL_N; i++) {
        const struct source *source = drain->sources[i];
        if (!source || !source->decode || !source->decode->trail)
            continue;
        uint64_t walked = share_load(&source->channel->walked_instructions);
        u128 ticks = (u128)walked * source->decode->trail_ticks / source->decode->trail;
        ns += ticks_to_ns((uint64_t)ticks, share_load(&source->channel->tsc_hz));
    }
    return ns;
}

uint32_t drain_processes(const struct drain *drain)
{
    uint32_t n = 0;
    for (int i = 0; i < CHANNEL_N; i++)
        n += drain->sources[i] != NULL;
    return n;
}

const struct source *drain_first(const struct drain *drain)
{
    for (int i = 0; i < CHANNEL_N; i++)
        if (drain->sources[i])
            return drain->sources[i];
    return NULL;
}
