#include "values/circumstances.h"

#include "profile/signal_set.h"
#include "profile/value_kinds.h"
#include "wire/channel.h"

#include <inttypes.h>
#include <stdio.h>

static const struct {
    uint32_t kind;
    const char *fact;
} circumstance_kinds[CIRCUMSTANCES] = {[ON_THREAD] = {VALUE_OF_THREAD, "one_thread"},
                                       [ON_CPU] = {VALUE_OF_CPU, "one_cpu"},
                                       [ON_NODE] = {VALUE_OF_NODE, "one_node"},
                                       [OF_USER] = {VALUE_OF_USER, "one_user"},
                                       [WITH_BLOCKED] = {VALUE_OF_SIGNAL, "one_signal"},
                                       [WITH_PENDING] = {VALUE_OF_PENDING, "one_pending"}};

void circumstances_init(struct circumstances *circumstances, const struct units *units,
                        struct value_lists *lists)
{
    *circumstances = (struct circumstances){.units = units, .lists = lists};
}

void circumstances_release(struct circumstances *circumstances)
{
    vec_release(&circumstances->runs);
    vec_release(&circumstances->met);
}

static void run_see(struct circumstances *circumstances, uint32_t run, enum circumstance kind,
                    uint64_t value, uint64_t sightings)
{
    const struct place at = circumstances->units->segments.at[run].at;
    uint32_t *place = &circumstances->runs.at[run].places[kind];
    if (at.module == MODULE_NONE)
        return;
    if (!*place)
        *place = 1 + value_lists_place(circumstances->lists, at, circumstance_kinds[kind].kind);
    value_lists_see(circumstances->lists, *place - 1, value, sightings);
}

/* A second value: what was counted before was of the first. */
static void kind_varies(struct circumstances *circumstances, enum circumstance kind)
{
    circumstances->kinds[kind].varies = true;
    for (uint32_t i = 0; i < circumstances->runs.n; i++)
        if (circumstances->runs.at[i].before[kind])
            run_see(circumstances, i, kind, circumstances->kinds[kind].first,
                    circumstances->runs.at[i].before[kind]);
}

static void kind_see(struct circumstances *circumstances, enum circumstance kind, uint64_t value)
{
    if (!circumstances->kinds[kind].known) {
        circumstances->kinds[kind].known = true;
        circumstances->kinds[kind].first = value;
    }
    if (!circumstances->kinds[kind].varies && value != circumstances->kinds[kind].first)
        kind_varies(circumstances, kind);
    for (size_t i = 0; i < circumstances->met.n; i++) {
        uint32_t index = circumstances->met.at[i];
        struct circumstance_run *run = &circumstances->runs.at[index];
        uint64_t sightings = (uint64_t)run->now * circumstances->lists->weight;
        if (circumstances->kinds[kind].varies)
            run_see(circumstances, index, kind, value, sightings);
        else
            run->before[kind] += sightings;
    }
}

static void exit_meet(struct circumstances *circumstances, uint32_t exit)
{
    const struct units *units = circumstances->units;
    const struct superblock *superblock = &units->superblocks.at[units_owner(units, exit)];
    uint32_t last = superblock_last_segment(superblock, exit - superblock->first_exit);
    for (uint32_t s = 0; s <= last; s++) {
        uint32_t run = superblock->first_segment + s;
        if (!circumstances->runs.at[run].now++)
            *vec_push(&circumstances->met) = run;
    }
}

void circumstances_window(struct circumstances *circumstances, const struct payload_window *window,
                          const struct event_walk *walk)
{
    uint32_t cpu_node = walk->cpu_node;
    while (circumstances->runs.n < circumstances->units->segments.n)
        *vec_push(&circumstances->runs) = (struct circumstance_run){0};
    for (uint32_t i = 0; i < window->n_exits; i++)
        exit_meet(circumstances, window->exits[i]);
    kind_see(circumstances, ON_THREAD, (uint32_t)window->tid);
    if (cpu_node) {
        kind_see(circumstances, ON_CPU, (cpu_node - 1) & CPU_MASK);
        kind_see(circumstances, ON_NODE, (cpu_node - 1) >> CPU_BITS);
    }
    if (walk->user) {
        kind_see(circumstances, OF_USER, walk->user - 1);
        kind_see(circumstances, WITH_BLOCKED, walk->blocked);
        kind_see(circumstances, WITH_PENDING, walk->pending);
    }
    for (size_t i = 0; i < circumstances->met.n; i++)
        circumstances->runs.at[circumstances->met.at[i]].now = 0;
    circumstances->met.n = 0;
}

void circumstances_tell(const struct circumstances *circumstances, struct profile *profile)
{
    char text[224], value[160];
    for (int i = 0; i < CIRCUMSTANCES; i++)
        if (circumstances->kinds[i].known && !circumstances->kinds[i].varies) {
            if (i == WITH_BLOCKED || i == WITH_PENDING)
                signal_set_text(circumstances->kinds[i].first, value, sizeof value);
            else
                snprintf(value, sizeof value, "%" PRIu64, circumstances->kinds[i].first);
            snprintf(text, sizeof text, "process %d: %s", circumstances->units->mappings->pid,
                     value);
            profile_fact(profile, circumstance_kinds[i].fact, text);
        }
}
