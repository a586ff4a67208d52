#include "profile/times.h"

#include "base/err.h"
#include "profile/profile.h"
#include "profile/sums.h"

#include <stdlib.h>
#include <string.h>

/* ---- recording */

/* The node of the tree of times for one of the stacks; samples of one thread share most of theirs.
 */
static uint32_t times_node(struct profile *profile, uint32_t node)
{
    struct stack_memo *memo = &profile->times_of;
    if (node == STACK_NONE)
        return STACK_NONE;
    if (!memo->at[node]) { /* at most STACK_DEPTH_MAX calls deep */
        struct stack_key key = stacks_key(&profile->stacks, node);
        uint32_t parent = times_node(profile, key.parent);
        memo->at[node] = 1 + stacks_node(&profile->times, parent, key.module, key.address);
    }
    return memo->at[node] - 1;
}

void times_add(struct profile *profile, uint32_t node, uint32_t group, uint64_t weight,
               uint64_t unix_ns)
{
    struct stacks *times = &profile->times;
    uint32_t module = stacks_key(&profile->stacks, node).module;
    if (module == MODULE_NONE && !profile->modules.n)
        return;
    vec_reserve(&profile->times_of, profile->stacks.nodes.n);
    uint32_t above = times_node(profile, node);
    uint32_t slice = stacks_node(times, above, module == MODULE_NONE ? 0 : module,
                                 slice_of(unix_ns, SLICE_BITS));
    if (slice != above) /* as deep as a stack can be: there is no room for a slice */
        stacks_add(times, slice, group, weight);
}

/* ---- coarser slices */

/* Marks the nodes that are slices: those that have weights. */
static bool *slices_mark(const struct stacks *times)
{
    bool *is_slice = mem_alloc(times->nodes.n + (size_t)1);
    for (uint32_t i = 0; i < times->cells.n; i++) {
        const struct stack_cell *cell = map_key(&times->cells, i);
        is_slice[cell->node] = true;
    }
    return is_slice;
}

struct slices {
    VEC(uint64_t); /* beginnings, in ns */
};

static int begin_order(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* How many slices of that width there are; beginnings are sorted. */
static size_t slices_count(const struct slices *slices, unsigned bits)
{
    size_t n = 0;
    for (size_t i = 0; i < slices->n; i++)
        n += i == 0 || slices->at[i] >> bits != slices->at[i - 1] >> bits;
    return n;
}

/* The width that all slices get; 0: there are none. */
static unsigned bits_wanted(const struct stacks *times, const bool *is_slice, bool *ret_changes)
{
    struct slices slices = {0};
    struct map seen;
    unsigned bits = 0, least = 63;
    map_init(&seen, sizeof(uint64_t));
    for (uint32_t i = 0; i < times->nodes.n; i++) {
        uint64_t slice = stacks_key(times, i).address, begin = slice_begin_ns(slice);
        if (!is_slice[i])
            continue;
        bits = slice_bits(slice) > bits ? slice_bits(slice) : bits;
        least = slice_bits(slice) < least ? slice_bits(slice) : least;
        uint32_t known = seen.n;
        if (map_add(&seen, &begin) == known)
            *vec_push(&slices) = begin;
    }
    map_release(&seen);
    if (slices.n)
        qsort(slices.at, slices.n, sizeof *slices.at, begin_order);
    *ret_changes = slices.n && least != bits;
    while (bits < SLICE_BITS_MAX && slices_count(&slices, bits) > TIME_SLICES_MAX) {
        bits++;
        *ret_changes = true;
    }
    vec_release(&slices);
    return bits;
}

bool times_coarsen(const struct stacks *times, struct stacks *ret_coarse)
{
    bool changes;
    bool *is_slice = slices_mark(times);
    unsigned bits = bits_wanted(times, is_slice, &changes);
    if (changes) {
        uint32_t *becomes = mem_alloc((times->nodes.n + (size_t)1) * sizeof *becomes);
        stacks_init(ret_coarse);
        for (uint32_t i = 0; i < times->nodes.n; i++) {
            struct stack_key key = stacks_key(times, i);
            uint64_t address =
                is_slice[i] ? slice_of(slice_begin_ns(key.address), bits) : key.address;
            uint32_t parent = key.parent == STACK_NONE ? STACK_NONE : becomes[key.parent];
            becomes[i] = stacks_node(ret_coarse, parent, key.module, address);
        }
        for (uint32_t i = 0; i < times->cells.n; i++) {
            const struct stack_cell *cell = map_key(&times->cells, i);
            stacks_add(ret_coarse, becomes[cell->node], cell->group, times->weights.at[i]);
        }
        mem_free(becomes);
    }
    mem_free(is_slice);
    return changes;
}

/* ---- a part of the run */

struct time_part times_span(const struct stacks *times)
{
    struct time_part span = {UINT64_MAX, 0};
    for (uint32_t i = 0; i < times->cells.n; i++) {
        const struct stack_cell *cell = map_key(&times->cells, i);
        uint64_t slice = stacks_key(times, cell->node).address;
        if (slice_begin_ns(slice) < span.begin_ns)
            span.begin_ns = slice_begin_ns(slice);
        if (slice_end_ns(slice) > span.end_ns)
            span.end_ns = slice_end_ns(slice);
    }
    return span.end_ns ? span : (struct time_part){0};
}

/* User and kernel weight of stacks. */
struct modes {
    uint64_t user, kernel;
};

static struct modes modes_of(const struct profile *profile, const struct stacks *stacks)
{
    struct modes modes = {0};
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        const struct stack_cell *cell = map_key(&stacks->cells, i);
        bool kernel = profile_module_is_kernel(profile, stacks_key(stacks, cell->node).module);
        sum_add(kernel ? &modes.kernel : &modes.user, stacks->weights.at[i]);
    }
    return modes;
}

static uint64_t scaled(uint64_t x, uint64_t part, uint64_t whole)
{
    return whole ? (uint64_t)((u128)x * part / whole) : 0;
}

/* What a plain profile has of totals, as far as it can be said of a part: times and samples are
 * shared as the weights are. */
static void totals_share(struct profile *profile, struct modes part, struct modes whole)
{
    struct totals old = profile->totals, totals = {.recordings = old.recordings};
    uint64_t all = whole.user + whole.kernel, here = part.user + part.kernel;
    uint64_t samples =
        profile->mode == PROFILE_SAMPLED ? old.samples + old.kernel_samples : old.interrupts;
    totals.interrupts = scaled(samples, here, all);
    totals.interrupts += !totals.interrupts;
    totals.user_ns = scaled(old.user_ns, part.user, whole.user);
    totals.kernel_ns = scaled(old.kernel_ns, part.kernel, whole.kernel);
    totals.time = part.user;
    for (int i = 0; i < LOSS_N; i++)
        totals.losses[i] = scaled(old.losses[i], here, all);
    profile->totals = totals;
}

/* Moves the slices of the stretch to the nodes above them; returns the stretch that they cover. */
static struct time_part part_take_slices(const struct stacks *times, struct time_part wanted,
                                         struct stacks *to)
{
    struct time_part covered = {UINT64_MAX, 0};
    bool *is_slice = slices_mark(times);
    uint32_t *becomes = mem_alloc((times->nodes.n + (size_t)1) * sizeof *becomes);
    for (uint32_t i = 0; i < times->nodes.n; i++) {
        struct stack_key key = stacks_key(times, i);
        uint32_t parent = key.parent == STACK_NONE ? STACK_NONE : becomes[key.parent];
        becomes[i] = is_slice[i] ? parent : stacks_node(to, parent, key.module, key.address);
    }
    for (uint32_t i = 0; i < times->cells.n; i++) {
        const struct stack_cell *cell = map_key(&times->cells, i);
        uint64_t slice = stacks_key(times, cell->node).address;
        uint64_t begin = slice_begin_ns(slice), end = slice_end_ns(slice);
        if (begin >= wanted.end_ns || end <= wanted.begin_ns)
            continue;
        stacks_add(to, becomes[cell->node], cell->group, times->weights.at[i]);
        covered.begin_ns = begin < covered.begin_ns ? begin : covered.begin_ns;
        covered.end_ns = end > covered.end_ns ? end : covered.end_ns;
    }
    mem_free(becomes);
    mem_free(is_slice);
    return covered;
}

/* The threads of a plain profile tell times that cannot be divided. */
static void threads_forget_times(struct threads *threads)
{
    for (size_t i = 0; i < threads->n; i++)
        threads->at[i].user_ns = threads->at[i].kernel_ns = threads->at[i].off_ns =
            threads->at[i].switches = 0;
}

bool times_known(const struct profile *profile, struct err *err)
{
    if (profile->times.cells.n)
        return true;
    return err_set(err, ERR_MISSING,
                   profile->mode == PROFILE_EXACT
                       ? "an exact recording does not have when code ran; a sampled one has"
                       : "this recording does not have when samples were taken: it was made by an "
                         "older gait, imported, or has no samples");
}

uint64_t times_start(const struct profile *profile)
{
    struct time_part span = times_span(&profile->times);
    uint64_t start = profile->start_unix_ns;
    return start && start < span.end_ns ? start : span.begin_ns;
}

bool profile_weigh_part(struct profile *profile, struct time_part wanted, struct err *err)
{
    struct stacks taken;
    if (!times_known(profile, err))
        return false;
    stacks_init(&taken);
    struct time_part covered = part_take_slices(&profile->times, wanted, &taken);
    if (!taken.cells.n) {
        stacks_release(&taken);
        return err_set(err, ERR_MISSING, "nothing was sampled in that part of the run");
    }
    totals_share(profile, modes_of(profile, &taken), modes_of(profile, &profile->stacks));
    for (int i = 0; i < TABLES; i++) {
        map_clear(&profile->tables[i].keys);
        profile->tables[i].n = 0;
    }
    stacks_release(&profile->stacks);
    profile->stacks = taken;
    profile->part = covered;
    profile->mode = PROFILE_PLAIN;
    threads_forget_times(&profile->threads);
    return true;
}
