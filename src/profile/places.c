#include "profile/places.h"

#include "profile/profile.h"
#include "records/sample.h"

#include <stdlib.h>
#include <string.h>

enum { PAGES_MAX = 1 << 13, PAGE_BYTES = PLACE_KINDS * PLACES_WORDS * sizeof(uint64_t) };

void places_release(struct places *places)
{
    for (size_t i = 0; i < places->n; i++) {
        for (size_t k = 0; k < places->at[i].n; k++)
            mem_free(places->at[i].at[k].bits);
        vec_release(&places->at[i]);
    }
    vec_release(places);
}

void places_copy(struct places *to, const struct places *from)
{
    *to = (struct places){0};
    for (size_t i = 0; i < from->n; i++) {
        struct module_places *module = vec_push(to);
        for (size_t k = 0; k < from->at[i].n; k++) {
            struct places_page page = {from->at[i].at[k].number, mem_alloc(PAGE_BYTES)};
            memcpy(page.bits, from->at[i].at[k].bits, PAGE_BYTES);
            *vec_push(module) = page;
        }
    }
}

/* Index of the first page that is not below. */
static size_t page_position(const struct module_places *module, uint64_t number)
{
    size_t low = 0, high = module->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (module->at[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* NULL: more of them than any module has code for. */
static struct places_page *page_get(struct module_places *module, uint64_t number)
{
    if (module->last < module->n && module->at[module->last].number == number)
        return &module->at[module->last];
    size_t at = page_position(module, number);
    if (at == module->n || module->at[at].number != number) {
        if (module->n == PAGES_MAX)
            return NULL;
        (void)vec_push(module);
        memmove(&module->at[at + 1], &module->at[at], (module->n - 1 - at) * sizeof *module->at);
        module->at[at] = (struct places_page){.number = number, .bits = mem_alloc(PAGE_BYTES)};
    }
    module->last = at;
    return &module->at[at];
}

void places_mark(struct places *places, uint32_t module, uint64_t at, enum place_seen kind)
{
    while (places->n <= module)
        (void)vec_push(places);
    struct places_page *page = page_get(&places->at[module], at >> PLACES_PAGE_BITS);
    uint64_t bit = (at & ((1 << PLACES_PAGE_BITS) - 1)) >> PLACE_BITS;
    if (!page)
        return;
    for (int k = 0; k <= (int)kind; k++)
        page->bits[k * PLACES_WORDS + (int)(bit >> 6)] |= (uint64_t)1 << (bit & 63);
}

static enum place_seen kind_of(const struct places_page *page, uint64_t bit)
{
    int kind = PLACE_KINDS - 1;
    while (kind && !(page->bits[kind * PLACES_WORDS + (int)(bit >> 6)] >> (bit & 63) & 1))
        kind--;
    return (enum place_seen)kind;
}

/* PLACE_CALLER, too, if it is not marked. */
static enum place_seen places_at(const struct places *places, uint32_t module, uint64_t at)
{
    const struct module_places *pages = module < places->n ? &places->at[module] : NULL;
    size_t i = pages ? page_position(pages, at >> PLACES_PAGE_BITS) : 0;
    if (!pages || i == pages->n || pages->at[i].number != at >> PLACES_PAGE_BITS)
        return PLACE_CALLER;
    return kind_of(&pages->at[i], (at & ((1 << PLACES_PAGE_BITS) - 1)) >> PLACE_BITS);
}

bool places_next(const struct places *places, uint32_t module, uint64_t *at,
                 enum place_seen *ret_kind)
{
    if (module >= places->n)
        return false;
    const struct module_places *pages = &places->at[module];
    uint64_t number = *at >> PLACES_PAGE_BITS;
    uint64_t bit = (*at & ((1 << PLACES_PAGE_BITS) - 1)) >> PLACE_BITS;
    for (size_t i = page_position(pages, number); i < pages->n; i++, bit = 0) {
        const struct places_page *page = &pages->at[i];
        if (page->number > number)
            bit = 0;
        for (; bit < (uint64_t)PLACES_WORDS * 64; bit = (bit | 63) + 1) {
            uint64_t word = page->bits[bit >> 6] >> (bit & 63);
            if (!word)
                continue;
            bit += (uint64_t)__builtin_ctzll(word);
            *at = page->number << PLACES_PAGE_BITS | bit << PLACE_BITS;
            *ret_kind = kind_of(page, bit);
            return true;
        }
    }
    return false;
}

/* ---- what a profile has */

static void mark(struct places *places, const uint32_t *modules, uint32_t module, uint64_t at)
{
    if (module != MODULE_NONE)
        places_mark(places, modules[module], at, PLACE_RAN);
}

/* A run may fall through several functions. */
static void mark_range(struct places *places, const struct range_key *key, const uint32_t *modules)
{
    enum { LONGEST = 1 << 16 };
    uint64_t last = key->last.v;
    if (last - key->start.v < LONGEST)
        for (uint64_t at = key->start.v; at < last; at += 1 << PLACE_BITS)
            places_mark(places, modules[key->module], at, PLACE_RAN);
    places_mark(places, modules[key->module], key->start.v, PLACE_RAN);
    places_mark(places, modules[key->module], last, PLACE_RAN);
}

void places_mark_key(struct places *places, int table, const void *key, const uint32_t *modules)
{
    switch ((enum profile_table)table) {
    case TABLE_EDGES:
    case TABLE_CONFLICTS: { /* which has a key of the same shape */
        const struct edge_key *edge = key;
        mark(places, modules, edge->from_module, edge->from.v);
        mark(places, modules, edge->to_module, edge->to.v);
        break;
    }
    case TABLE_RANGES: mark_range(places, key, modules); break;
    case TABLE_TRIPS: {
        const struct trip_key *trip = key;
        mark(places, modules, trip->module, trip->head.v);
        break;
    }
    case TABLE_PATHS: {
        const struct path_key *path = key;
        mark(places, modules, path->module, path->function.v);
        break;
    }
    case TABLE_VALUES: {
        const struct value_key *value = key;
        mark(places, modules, value->module, value->address);
        mark(places, modules, value->to, value->value);
        mark(places, modules, value->caller_module, value->caller);
        break;
    }
    case TABLE_LATENCIES: {
        const struct latency_key *latency = key;
        mark(places, modules, latency->module, latency->address.v);
        break;
    }
    case TABLE_MODELLED: {
        const struct modelled_key *modelled = key;
        mark(places, modules, modelled->module, modelled->address.v);
        break;
    }
    case TABLE_TURNS: {
        const struct turns_key *turns = key;
        mark(places, modules, turns->module, turns->at.v);
        break;
    }
    case TABLE_CALLED: {
        const struct called_key *called = key;
        mark(places, modules, called->from_module, called->from.v);
        mark(places, modules, called->to_module, called->to.v);
        mark(places, modules, called->from_caller_module, called->from_caller.v);
        mark(places, modules, called->to_caller_module, called->to_caller.v);
        break;
    }
    case TABLE_FIRSTS: {
        const struct first_key *first = key;
        mark(places, modules, first->module, first->at.v);
        break;
    }
    case TABLE_WASTE: {
        const struct waste_key *waste = key;
        if (waste->kind == WASTE_ALL) /* of no place */
            break;
        mark(places, modules, waste->first_module, waste->first.v);
        mark(places, modules, waste->second_module, waste->second.v);
        mark(places, modules, waste->first_caller_module, waste->first_caller.v);
        mark(places, modules, waste->second_caller_module, waste->second_caller.v);
        break;
    }
    default: break;
    }
}

/* A node without a weight was only on the way to others. */
static void mark_callers(struct places *places, const struct stacks *stacks,
                         const uint32_t *modules)
{
    for (uint32_t i = 0; i < stacks->nodes.n; i++) {
        struct stack_key key = stacks_key(stacks, i);
        if (key.module != MODULE_NONE)
            places_mark(places, modules[key.module], key.address, PLACE_CALLER);
    }
}

static int weight_order(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* More than that is the weight of several samples: one weighs about as much as an eighth of all
 * cells do at most, and up to 5/3 of it, as the time between samples is random. */
static uint64_t weight_of_one(const struct stacks *stacks)
{
    uint32_t n = stacks->cells.n;
    if (!n)
        return 0;
    uint64_t *weights = mem_alloc(n * sizeof *weights);
    memcpy(weights, stacks->weights.at, n * sizeof *weights);
    qsort(weights, n, sizeof *weights, weight_order);
    uint64_t most = weights[n / 8] + weights[n / 8] * 2 / 3;
    mem_free(weights);
    return most;
}

/* Of the samples of a run some are of places that no other sample found. */
static void mark_samples_once(struct places *places, const struct stacks *stacks,
                              const uint32_t *modules)
{
    uint64_t one = weight_of_one(stacks);
    mark_callers(places, stacks, modules);
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        const struct stack_cell *cell = map_key(&stacks->cells, i);
        struct stack_key key = stacks_key(stacks, cell->node);
        if (key.module == MODULE_NONE)
            continue;
        bool more = stacks->weights.at[i] > one ||
                    places_at(places, modules[key.module], key.address) >= PLACE_ONCE;
        places_mark(places, modules[key.module], key.address, more ? PLACE_RAN : PLACE_ONCE);
    }
}

static void mark_stacks(struct places *places, const struct stacks *stacks, const uint32_t *modules)
{
    mark_callers(places, stacks, modules);
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        const struct stack_cell *cell = map_key(&stacks->cells, i);
        struct stack_key key = stacks_key(stacks, cell->node);
        mark(places, modules, key.module, key.address);
    }
}

static void mark_samples(struct places *places, const struct sample_list *samples,
                         const uint32_t *modules)
{
    for (size_t i = 0; i < samples->n; i++)
        if (sample_knows(&samples->at[i], SAMPLE_MODULE))
            mark(places, modules, (uint32_t)samples->at[i].at[SAMPLE_MODULE],
                 samples->at[i].at[SAMPLE_PC]);
}

/* Where trails count, windows may have run through code that no table has. */
static void mark_windows(struct places *places, const struct windows *windows,
                         const uint32_t *modules)
{
    for (size_t i = 0; i < windows->runs.n; i++) {
        const struct window_run *run = &windows->runs.at[i];
        uint64_t last = run->at + (run->bytes ? run->bytes - 1 : 0);
        mark_range(places, &(struct range_key){run->module, 0, {run->at}, {last}}, modules);
    }
}

/* Series and contexts of paths name functions that other tables have, too. */
void places_mark_profile(struct places *places, const struct profile *profile,
                         const uint32_t *modules, bool counts)
{
    for (int i = 0; i < TABLES; i++)
        for (uint32_t k = 0; k < profile->tables[i].n; k++)
            places_mark_key(places, i, map_key(&profile->tables[i].keys, k), modules);
    for (size_t i = 0; i < profile->loose.edges.n; i++)
        places_mark_key(places, TABLE_EDGES, &profile->loose.edges.at[i].key, modules);
    for (size_t i = 0; i < profile->loose.ranges.n; i++)
        places_mark_key(places, TABLE_RANGES, &profile->loose.ranges.at[i].key, modules);
    if (profile->mode != PROFILE_SAMPLED)
        mark_stacks(places, &profile->stacks, modules);
    else if (counts)
        mark_samples_once(places, &profile->stacks, modules);
    else
        mark_callers(places, &profile->stacks, modules);
    mark_stacks(places, &profile->passages, modules);
    mark_stacks(places, &profile->waits, modules);
    mark_stacks(places, &profile->call_costs, modules);
    mark_stacks(places, &profile->events, modules);
    mark_samples(places, &profile->samples, modules);
    mark_windows(places, &profile->windows, modules);
}
