#include "consumers/circuits.h"

#include "process/mappings.h"
#include "process/selection.h"
#include "program/elf/image.h"

#include <stdlib.h>

/* Where nothing tells functions apart, jumps over a longer way are taken for calls without return.
 */
enum { UNBOUNDED_BYTES = 1 << 16 };
enum { JUMPS_MAX = 8, DEPTH_MAX = 12 };

struct circuit_key {
    uint64_t module_and_root;
    uint64_t start;
};

void circuits_init(struct circuits *circuits, struct units *units)
{
    *circuits = (struct circuits){.units = units, .version = 1};
    map_init(&circuits->keys, sizeof(struct circuit_key));
}

void circuits_release(struct circuits *circuits)
{
    for (size_t i = 0; i < circuits->bounds.n; i++)
        bounds_release(&circuits->bounds.at[i].bounds);
    vec_release(&circuits->bounds);
    vec_release(&circuits->order);
    vec_release(&circuits->jumps);
    vec_release(circuits);
    map_release(&circuits->keys);
}

/* ---- functions */

static const struct bounds *bounds_of(struct circuits *circuits, uint32_t module)
{
    while (circuits->bounds.n <= module)
        *vec_push(&circuits->bounds) = (struct module_bounds){0};
    struct module_bounds *known = &circuits->bounds.at[module];
    struct image image;
    if (!known->read && mappings_image_open(circuits->units->mappings, module, &image)) {
        bounds_read(&known->bounds, &image);
        image_close(&image);
    }
    known->read = true;
    return &known->bounds;
}

/* The function that holds both ends of a backward jump; false: there is none. */
static bool function_find(struct circuits *circuits, struct place to, struct place from,
                          uint64_t *ret_start, uint64_t *ret_last)
{
    struct svma start, end;
    if (bounds_find(bounds_of(circuits, to.module), to.address, &start, &end)) {
        *ret_start = start.v;
        *ret_last = end.v - 1;
        return from.address.v < end.v;
    }
    *ret_start = 0;
    *ret_last = UINT64_MAX;
    return from.address.v - to.address.v <= UNBOUNDED_BYTES;
}

/* ---- what the units have */

static uint32_t circuit_add(struct circuits *circuits, uint32_t module, uint64_t start,
                            uint64_t end, uint32_t root)
{
    bool is_root = root == CIRCUIT_NONE;
    struct circuit_key key = {(uint64_t)module << 1 | is_root, start};
    uint32_t id = map_add(&circuits->keys, &key);
    if (id == circuits->n) {
        *vec_push(circuits) = (struct circuit){.module = module,
                                               .parent = CIRCUIT_NONE,
                                               .root = is_root ? id : root,
                                               .start = start,
                                               .end = end};
        circuits->stale = true;
    }
    if (end > circuits->at[id].end) {
        circuits->at[id].end = end;
        circuits->stale = true;
    }
    return id;
}

/* Where single instructions are kept, loops are not. */
static bool is_kept(const struct circuits *circuits, struct place head)
{
    struct mappings *mappings = circuits->units->mappings;
    return !mappings->only ||
           (!mappings->only->classes && selection_has(mappings->only, mappings, head));
}

static void segment_read(struct circuits *circuits, const struct unit_segment *segment)
{
    struct place from = segment_last(segment);
    uint64_t start, last;
    if (segment->end == SEGMENT_IJUMP && segment->instructions)
        *vec_push(&circuits->jumps) = from;
    if ((segment->end != SEGMENT_COND && segment->end != SEGMENT_JUMP) || !segment->target ||
        !segment->instructions || segment->to.module != from.module ||
        segment->to.address.v > from.address.v ||
        mappings_missed(circuits->units->mappings, from) || !is_kept(circuits, segment->to) ||
        !function_find(circuits, segment->to, from, &start, &last))
        return;
    uint32_t root = circuit_add(circuits, from.module, start, last, CIRCUIT_NONE);
    circuit_add(circuits, from.module, segment->to.address.v, from.address.v, root);
}

/* ---- how they nest */

static int circuit_order(const void *a, const void *b, void *context)
{
    const struct circuits *circuits = context;
    const struct circuit *x = &circuits->at[*(const uint32_t *)a];
    const struct circuit *y = &circuits->at[*(const uint32_t *)b];
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (y->root == *(const uint32_t *)b) - (x->root == *(const uint32_t *)a);
}

static int place_order(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    return x->address.v < y->address.v ? -1 : x->address.v > y->address.v;
}

/* Superblocks that start at different places may end in the same jump. */
static void jumps_settle(struct circuits *circuits)
{
    struct circuit_jumps *jumps = &circuits->jumps;
    size_t kept = 0;
    if (jumps->n)
        qsort(jumps->at, jumps->n, sizeof *jumps->at, place_order);
    for (size_t i = 0; i < jumps->n; i++)
        if (!kept || place_order(&jumps->at[kept - 1], &jumps->at[i]) != 0)
            jumps->at[kept++] = jumps->at[i];
    jumps->n = kept;
}

static size_t jumps_before(const struct circuits *circuits, uint32_t module, uint64_t at)
{
    struct place wanted = {module, {at}};
    size_t low = 0, high = circuits->jumps.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (place_order(&circuits->jumps.at[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_interpreter(const struct circuits *circuits, const struct circuit *circuit)
{
    return jumps_before(circuits, circuit->module, circuit->end) -
               jumps_before(circuits, circuit->module, circuit->start) >
           JUMPS_MAX;
}

/* In order of their starts, `around` being the last one before: what it begins in is around it.
 * False: it is none. */
static bool circuit_nest(struct circuits *circuits, uint32_t id, uint32_t around)
{
    struct circuit *circuit = &circuits->at[id];
    circuit->reach = circuit->end;
    circuit->parent = CIRCUIT_NONE;
    circuit->depth = 0;
    if (circuit->root == id)
        return true;
    if (is_interpreter(circuits, circuit))
        return false;
    while (around != CIRCUIT_NONE && (circuits->at[around].root != circuit->root ||
                                      circuits->at[around].reach < circuit->start))
        around = circuits->at[around].parent;
    uint32_t parent = around == CIRCUIT_NONE ? circuit->root : around;
    if (circuits->at[parent].depth >= DEPTH_MAX)
        return false;
    circuit->parent = parent;
    circuit->depth = circuits->at[parent].depth + 1;
    for (uint32_t up = parent; up != circuit->root; up = circuits->at[up].parent)
        if (circuits->at[up].reach < circuit->reach)
            circuits->at[up].reach = circuit->reach;
    return true;
}

static void circuits_nest(struct circuits *circuits)
{
    struct circuit_order *order = &circuits->order;
    jumps_settle(circuits);
    vec_reserve(order, circuits->n);
    for (order->n = 0; order->n < circuits->n; order->n++)
        order->at[order->n] = (uint32_t)order->n;
    qsort_r(order->at, order->n, sizeof *order->at, circuit_order, circuits);
    uint32_t before = CIRCUIT_NONE;
    size_t kept = 0;
    for (size_t i = 0; i < order->n; i++)
        if (circuit_nest(circuits, order->at[i], before))
            before = order->at[kept++] = order->at[i];
    order->n = kept;
}

void circuits_follow(struct circuits *circuits)
{
    const struct units *units = circuits->units;
    for (; circuits->segments_read < units->segments.n; circuits->segments_read++)
        segment_read(circuits, &units->segments.at[circuits->segments_read]);
    if (!circuits->stale)
        return;
    circuits_nest(circuits);
    circuits->stale = false;
    circuits->version++;
}

/* ---- ask */

uint32_t circuits_at(const struct circuits *circuits, struct place place)
{
    size_t low = 0, high = circuits->order.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct circuit *circuit = &circuits->at[circuits->order.at[middle]];
        if (circuit->module < place.module ||
            (circuit->module == place.module && circuit->start <= place.address.v))
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t id = low ? circuits->order.at[low - 1] : CIRCUIT_NONE;
    if (id == CIRCUIT_NONE || circuits->at[id].module != place.module)
        return CIRCUIT_NONE;
    while (id != CIRCUIT_NONE && circuits->at[id].reach < place.address.v)
        id = circuits->at[id].parent;
    return id;
}
