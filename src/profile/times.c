#include "profile/times.h"

#include "base/err.h"
#include "profile/profile.h"
#include "profile/sums.h"

#include <stdlib.h>
#include <string.h>

/* ---- recording */

/* The node of the tree of times for one of the stacks; samples of one thread share most of theirs.
 */
static uint32_t times_node(struct stacks *times, const struct stacks *of, struct stack_memo *memo,
                           uint32_t node)
{
    if (node == STACK_NONE)
        return STACK_NONE;
    if (!memo->at[node]) { /* at most STACK_DEPTH_MAX calls deep */
        struct stack_key key = stacks_key(of, node);
        uint32_t parent = times_node(times, of, memo, key.parent);
        memo->at[node] = 1 + stacks_node(times, parent, key.module, key.address);
    }
    return memo->at[node] - 1;
}

void times_add(struct profile *profile, uint32_t node, uint32_t group, uint64_t weight,
               uint64_t unix_ns, uint32_t cpu)
{
    struct stacks *times = &profile->times;
    uint32_t module = stacks_key(&profile->stacks, node).module;
    if (module == MODULE_NONE && !profile->modules.n)
        return;
    vec_reserve(&profile->times_of, profile->stacks.nodes.n);
    uint32_t above = times_node(times, &profile->stacks, &profile->times_of, node);
    uint32_t slice = stacks_node(times, above, module == MODULE_NONE ? 0 : module,
                                 slice_of(unix_ns, SLICE_BITS, cpu));
    if (slice != above) /* as deep as a stack can be: there is no room for a slice */
        stacks_add(times, slice, group, weight);
}

static void wait_slice_add(struct profile *profile, uint32_t above, uint32_t module,
                           uint64_t unix_ns, uint32_t group, uint64_t weight)
{
    if (!weight)
        return;
    uint32_t slice = stacks_node(&profile->wait_times, above, module == MODULE_NONE ? 0 : module,
                                 slice_of(unix_ns, WAIT_SLICE_BITS, SLICE_CPU_NONE));
    if (slice != above)
        stacks_add(&profile->wait_times, slice, group, weight);
}

void wait_times_add(struct profile *profile, uint32_t node, uint32_t kind, const uint64_t *weights,
                    uint64_t end_unix_ns, uint64_t lasted_ns)
{
    uint32_t module = stacks_key(&profile->waits, node).module;
    if (module == MODULE_NONE && !profile->modules.n)
        return;
    vec_reserve(&profile->wait_times_of, profile->waits.nodes.n);
    uint32_t above =
        times_node(&profile->wait_times, &profile->waits, &profile->wait_times_of, node);
    uint64_t steps = (lasted_ns >> WAIT_SLICE_BITS) + 1;
    steps = steps < TIME_SLICES_MAX ? steps : TIME_SLICES_MAX;
    for (uint64_t i = 0, told = 0; i < steps; i++) {
        uint64_t so_far = (uint64_t)((u128)weights[WAIT_NS] * (i + 1) / steps);
        uint64_t back = (uint64_t)((u128)lasted_ns * (2 * (steps - i) - 1) / (2 * steps));
        wait_slice_add(profile, above, module, end_unix_ns - back, kind + WAIT_NS, so_far - told);
        told = so_far;
    }
    for (uint32_t i = WAIT_NS + 1; i < WAIT_KIND_GROUPS; i++)
        wait_slice_add(profile, above, module, end_unix_ns, kind + i, weights[i]);
}

/* ---- coarser slices */

bool *times_slices(const struct stacks *times)
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
    bool *is_slice = times_slices(times);
    unsigned bits = bits_wanted(times, is_slice, &changes);
    if (changes) {
        uint32_t *becomes = mem_alloc((times->nodes.n + (size_t)1) * sizeof *becomes);
        stacks_init(ret_coarse);
        ret_coarse->maxima = times->maxima;
        for (uint32_t i = 0; i < times->nodes.n; i++) {
            struct stack_key key = stacks_key(times, i);
            uint64_t address =
                is_slice[i] ? slice_of(slice_begin_ns(key.address), bits, slice_cpu(key.address))
                            : key.address;
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

/* ---- questions */

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

bool times_known(const struct profile *profile, struct err *err)
{
    if (profile->times.cells.n)
        return true;
    return err_set(err, ERR_MISSING,
                   profile->mode == PROFILE_EXACT
                       ? "an exact recording does not have when code ran; a sampled one has"
                       : "this profile does not have when samples were taken: it was made by an "
                         "older gait, from data without times, or has no samples");
}

uint64_t times_start(const struct profile *profile)
{
    struct time_part span = times_span(&profile->times);
    uint64_t start = profile->start_unix_ns;
    return start && (!span.end_ns || start < span.end_ns) ? start : span.begin_ns;
}

/* ---- by CPUs */

static bool in_part(const struct time_part *part, uint64_t slice)
{
    return !part->end_ns ||
           (slice_begin_ns(slice) < part->end_ns && slice_end_ns(slice) > part->begin_ns);
}

static bool cpus_known(const struct stacks *times)
{
    for (uint32_t i = 0; i < times->cells.n; i++) {
        const struct stack_cell *cell = map_key(&times->cells, i);
        if (slice_cpu(stacks_key(times, cell->node).address) != SLICE_CPU_NONE)
            return true;
    }
    return false;
}

/* The node for one of the times, below the root of its thread on that CPU; at most STACK_DEPTH_MAX
 * calls deep. */
static uint32_t cpu_node(struct stacks *to, const struct stacks *times, uint32_t node, uint32_t cpu)
{
    struct stack_key key = stacks_key(times, node);
    if (key.parent == STACK_NONE)
        return stacks_node(to, STACK_NONE, cpu, key.address);
    return stacks_node(to, cpu_node(to, times, key.parent, cpu), key.module, key.address);
}

bool profile_split_cpus(struct profile *profile, struct err *err)
{
    const struct stacks *times = &profile->times;
    struct stacks split;
    if (profile->mode == PROFILE_EXACT)
        return err_set(err, ERR_MISSING,
                       "an exact recording does not have which CPU code ran on; a sampled one has");
    if (!cpus_known(times))
        return err_set(err, ERR_MISSING,
                       "this recording does not have which CPU code ran on: its samples "
                       "have no CPU (perf record --sample-cpu has), an older gait made it, or it "
                       "has no samples; record again");
    stacks_init(&split);
    for (uint32_t i = 0; i < times->cells.n; i++) {
        const struct stack_cell *cell = map_key(&times->cells, i);
        struct stack_key slice = stacks_key(times, cell->node);
        if (slice.parent == STACK_NONE || !in_part(&profile->part, slice.address))
            continue;
        uint32_t node = cpu_node(&split, times, slice.parent, slice_cpu(slice.address));
        stacks_add(&split, node, cell->group, times->weights.at[i]);
    }
    stacks_release(&profile->stacks);
    profile->stacks = split;
    return true;
}
