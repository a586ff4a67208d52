#include "analysis/counts/event_sums.h"

#include "base/text_hash.h"

#include <stdlib.h>
#include <string.h>

/* No padding: compared by bytes. */
struct event_place {
    uint64_t module, at;
};

/* What counts cycles is called differently by models, perf and manuals. */
static const char *const cycle_names[] = {"cpu_clk_unhalted", "cycles", "cycles:u", "cpu-cycles",
                                          "cpu-cycles:u"};

static bool is_cycles(uint64_t hash)
{
    for (size_t i = 0; i < sizeof cycle_names / sizeof *cycle_names; i++)
        if (text_hash(cycle_names[i]) == hash)
            return true;
    return false;
}

/* A reorder buffer of 224 that is filled by four a cycle hides this much of a wait. What is shorter
 * makes nobody collect samples: with misses of the second cache and wrong guesses among the stalls
 * classes lose 1 to 3 points of overlap. */
enum { STALL_HIDDEN = 56 };

/* Cycles of one event; 0: it is no stall. */
static double stall_of(const struct profile *profile, uint64_t hash)
{
    for (size_t i = 0; i < profile->facts.n; i++) {
        const struct fact *fact = &profile->facts.at[i];
        const char *space = strcmp(fact->key, "stall") == 0 ? strrchr(fact->value, ' ') : NULL;
        char name[64];
        size_t n = space ? (size_t)(space - fact->value) : sizeof name;
        if (n >= sizeof name)
            continue;
        memcpy(name, fact->value, n);
        name[n] = 0;
        double cycles = strtod(space, NULL);
        if (text_hash(name) == hash)
            return cycles > STALL_HIDDEN ? cycles : 0;
    }
    return 0;
}

/* By node of the events: what one unit of its weight adds. */
static struct event_sum *node_rates(const struct profile *profile)
{
    const struct stacks *events = &profile->events;
    struct event_sum *rates = mem_alloc((events->nodes.n + (size_t)1) * sizeof *rates);
    for (uint32_t i = 0; i < events->nodes.n; i++) {
        struct stack_key key = stacks_key(events, i);
        if (events->depths.at[i] > 1)
            rates[i] = rates[key.parent];
        else if (events->depths.at[i] == 1)
            rates[i] = (struct event_sum){.cycles = is_cycles(key.address) ? 1 : 0,
                                          .stalls = stall_of(profile, key.address)};
    }
    return rates;
}

static void sum_put(struct event_sums *sums, uint32_t module, uint64_t at, struct event_sum more)
{
    struct event_place place = {module, at};
    uint32_t index = map_add(&sums->places, &place);
    if (index == sums->n)
        *vec_push(sums) = (struct event_sum){0};
    sums->at[index].cycles += more.cycles;
    sums->at[index].stalls += more.stalls;
    sums->has_cycles |= more.cycles > 0;
    sums->has_stalls |= more.stalls > 0;
}

void event_sums_open(struct event_sums *sums, const struct scene *scene, uint32_t side)
{
    const struct profile *profile = scene->sides[side];
    const struct stacks *events = &profile->events;
    *sums = (struct event_sums){0};
    map_init(&sums->places, sizeof(struct event_place));
    struct event_sum *rates = node_rates(profile);
    for (uint32_t i = 0; i < events->cells.n; i++) {
        const struct stack_cell *cell = map_key(&events->cells, i);
        struct event_sum more = rates[cell->node];
        double weight = (double)events->weights.at[i];
        if (events->depths.at[cell->node] < 2 || (more.cycles == 0 && more.stalls == 0))
            continue;
        struct stack_key key = stacks_key(events, cell->node);
        more.cycles *= weight;
        more.stalls *= weight;
        sum_put(sums, scene_module(scene, side, key.module), key.address, more);
    }
    mem_free(rates);
}

void event_sums_close(struct event_sums *sums)
{
    map_release(&sums->places);
    vec_release(sums);
}

struct event_sum event_sums_at(const struct event_sums *sums, uint32_t module, struct svma at)
{
    struct event_place place = {module, at.v};
    uint32_t index = sums->n ? map_find(&sums->places, &place) : MAP_NONE;
    return index == MAP_NONE ? (struct event_sum){0} : sums->at[index];
}

bool event_sums_known(const struct profile *profile)
{
    const struct stacks *events = &profile->events;
    bool cycles = false, stalls = false;
    for (uint32_t i = 0; i < events->nodes.n; i++)
        if (events->depths.at[i] == 1) {
            uint64_t hash = stacks_key(events, i).address;
            cycles |= is_cycles(hash);
            stalls |= stall_of(profile, hash) > 0;
        }
    return cycles && stalls;
}
