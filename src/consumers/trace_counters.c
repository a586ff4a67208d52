#include "consumers/trace_counters.h"

#include "model/core/model.h"
#include "model/pmu/bank.h"
#include "model/replay/watch.h"
#include "profile/events.h"
#include "profile/profile.h"

#include <stdio.h>

/* No padding: compared by bytes. */
struct counter_key {
    uint32_t tid, module;
    uint64_t at;
    uint64_t event; /* of bank_events */
};

struct counters_listener {
    struct replay_watch watch;
    struct bank bank;
    struct trace_counters *counters;
    uint32_t tid;
};

static void sample_take(void *context, const struct bank_event *event, struct avma at)
{
    struct counters_listener *listener = context;
    struct trace_counters *counters = listener->counters;
    struct counter_key key = {.tid = listener->tid, .event = (uint64_t)(event - bank_events)};
    struct svma place;
    replay_place(at.v, &key.module, &place);
    key.at = place.v;
    uint32_t index = map_add(&counters->keys, &key);
    if (index == counters->n)
        *vec_push(counters) = 0;
    counters->at[index]++;
}

static void step_see(void *context, const struct pmu_step *step)
{
    bank_see(&((struct counters_listener *)context)->bank, step);
}

struct counters_listener *trace_counters_listen(struct trace_counters *counters,
                                                struct replay *replay, int32_t tid)
{
    if (!counters->period)
        return NULL;
    counters->model = replay->code->model;
    struct counters_listener *listener = mem_alloc(sizeof *listener);
    listener->counters = counters;
    listener->tid = (uint32_t)tid;
    bank_init(&listener->bank, counters->period,
              counters->seed + BANK_COUNTERS * counters->threads++, sample_take, listener);
    listener->watch = (struct replay_watch){.see = step_see, .context = listener};
    replay->wrong_ways = true; /* caches count what is thrown away as well */
    replay_watch(&listener->watch, replay);
    return listener;
}

void counters_listener_free(struct counters_listener *listener)
{
    mem_free(listener);
}

void trace_counters_init(struct trace_counters *counters, uint32_t pid)
{
    *counters = (struct trace_counters){.pid = pid};
    map_init(&counters->keys, sizeof(struct counter_key));
}

void trace_counters_release(struct trace_counters *counters)
{
    map_release(&counters->keys);
    vec_release(counters);
}

static void stalls_give(const struct trace_counters *counters, struct profile *profile)
{
    char text[64];
    for (int i = 0; i < BANK_COUNTERS; i++) {
        uint32_t cycles = bank_stall(&bank_events[i], counters->model);
        if (!cycles)
            continue;
        snprintf(text, sizeof text, "%s %u", bank_events[i].name, cycles);
        profile_fact(profile, "stall", text);
    }
}

/* Those of one place are dealt to the groups in turn, as if they had come with others between. */
static void place_give(struct trace_counters *counters, struct profile *profile, uint32_t index)
{
    const struct counter_key *key = map_key(&counters->keys, index);
    const struct bank_event *event = &bank_events[key->event];
    uint64_t weight = bank_period(event, counters->period);
    for (uint64_t i = 0; i < counters->at[index]; i++) {
        uint32_t thread =
            events_count(profile, event->name, false, stack_thread(counters->pid, key->tid));
        uint32_t node = stacks_node(&profile->events, thread, key->module, key->at);
        stacks_add(&profile->events, node, (uint32_t)(index + i) % STACK_GROUPS, weight);
    }
}

void trace_counters_give(struct trace_counters *counters, struct profile *profile)
{
    if (!counters->model)
        return;
    stalls_give(counters, profile);
    for (uint32_t i = 0; i < counters->n; i++)
        place_give(counters, profile, i);
    map_release(&counters->keys);
    map_init(&counters->keys, sizeof(struct counter_key));
    counters->n = 0;
}
