#include "profile/events.h"

#include "base/err.h"
#include "base/text_hash.h"
#include "profile/profile.h"

#include <stdio.h>
#include <string.h>

static const char fact_first[] = "event", fact_first_clock[] = "clock";
static const char fact_other[] = "other_event", fact_other_clock[] = "other_clock";
static const char usual[] = "cpu-clock";

uint32_t events_count(struct profile *profile, const char *name, bool clock, uint64_t thread)
{
    struct stacks *events = &profile->events;
    uint32_t root = stacks_node(events, STACK_NONE, MODULE_NONE, thread);
    uint32_t event = stacks_node(events, root, 0, text_hash(name));
    profile_fact(profile, fact_other, name);
    if (clock)
        profile_fact(profile, fact_other_clock, name);
    stacks_add(events, event, 0, 1);
    return event;
}

void event_name_first(struct profile *profile, const char *name, bool clock)
{
    if (!clock)
        profile_fact(profile, fact_first, name);
    else if (strcmp(name, usual) != 0)
        profile_fact(profile, fact_first_clock, name);
}

const char *event_first(const struct profile *profile)
{
    const char *name = profile_fact_find(profile, fact_first);
    name = name ? name : profile_fact_find(profile, fact_first_clock);
    return name ? name : usual;
}

bool event_first_is_time(const struct profile *profile)
{
    const char *name = profile_fact_find(profile, fact_first);
    return !name || strstr(name, "cycles") || strstr(name, "clk") || strstr(name, "clock");
}

/* ---- choosing one */

static bool has_fact(const struct profile *profile, const char *key, const char *value)
{
    for (size_t i = 0; i < profile->facts.n; i++)
        if (strcmp(profile->facts.at[i].key, key) == 0 &&
            strcmp(profile->facts.at[i].value, value) == 0)
            return true;
    return false;
}

static bool refuse(const struct profile *profile, const char *name, struct err *err)
{
    char list[512];
    int used = snprintf(list, sizeof list, "%s", event_first(profile));
    for (size_t i = 0; i < profile->facts.n; i++)
        if (strcmp(profile->facts.at[i].key, fact_other) == 0 && used < (int)sizeof list)
            used += snprintf(list + used, sizeof list - (size_t)used, ", %s",
                             profile->facts.at[i].value);
    return err_set(err, ERR_MISSING, "no samples of %s; this profile has %s", name, list);
}

/* The stacks of one event. Returns the number of samples. */
static uint64_t stacks_take(const struct stacks *events, uint64_t hash, struct stacks *to)
{
    uint64_t samples = 0;
    /* Of nodes: which they become; STACK_NONE: they are of another event. */
    uint32_t *becomes = mem_alloc((events->nodes.n + (size_t)1) * sizeof *becomes);
    for (uint32_t i = 0; i < events->nodes.n; i++) {
        struct stack_key key = stacks_key(events, i);
        uint16_t depth = events->depths.at[i];
        if (depth == 0)
            becomes[i] = stacks_node(to, STACK_NONE, key.module, key.address);
        else if (depth == 1)
            becomes[i] = key.address == hash ? becomes[key.parent] : STACK_NONE;
        else
            becomes[i] = becomes[key.parent] == STACK_NONE
                             ? STACK_NONE
                             : stacks_node(to, becomes[key.parent], key.module, key.address);
    }
    for (uint32_t i = 0; i < events->cells.n; i++) {
        const struct stack_cell *cell = map_key(&events->cells, i);
        if (becomes[cell->node] == STACK_NONE)
            continue;
        if (events->depths.at[cell->node] == 1)
            sum_add(&samples, events->weights.at[i]);
        else
            stacks_add(to, becomes[cell->node], cell->group, events->weights.at[i]);
    }
    mem_free(becomes);
    return samples;
}

static void fact_forget(struct profile *profile, const char *key)
{
    size_t kept = 0;
    for (size_t i = 0; i < profile->facts.n; i++)
        if (strcmp(profile->facts.at[i].key, key) != 0)
            profile->facts.at[kept++] = profile->facts.at[i];
    profile->facts.n = kept;
}

static struct totals totals_of(const struct profile *profile, const struct stacks *stacks,
                               uint64_t samples, bool clock)
{
    struct totals totals = {.interrupts = samples, .recordings = profile->totals.recordings};
    uint64_t kernel = 0;
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        const struct stack_cell *cell = map_key(&stacks->cells, i);
        bool inside = profile_module_is_kernel(profile, stacks_key(stacks, cell->node).module);
        sum_add(inside ? &kernel : &totals.time, stacks->weights.at[i]);
    }
    totals.user_ns = clock ? totals.time : 0;
    totals.kernel_ns = clock ? kernel : 0;
    return totals;
}

bool profile_choose_event(struct profile *profile, const char *name, struct err *err)
{
    if (strcmp(name, event_first(profile)) == 0)
        return true;
    if (!has_fact(profile, fact_other, name))
        return refuse(profile, name, err);
    struct stacks taken;
    stacks_init(&taken);
    bool clock = has_fact(profile, fact_other_clock, name);
    uint64_t samples = stacks_take(&profile->events, text_hash(name), &taken);
    profile->totals = totals_of(profile, &taken, samples, clock);
    stacks_release(&profile->stacks);
    profile->stacks = taken;
    stacks_clear(&profile->times); /* are those of the first event */
    profile_clear_tables(profile);
    profile->mode = PROFILE_PLAIN;
    threads_forget_times(&profile->threads);
    fact_forget(profile, fact_first);
    fact_forget(profile, fact_first_clock);
    event_name_first(profile, name, clock);
    return true;
}
