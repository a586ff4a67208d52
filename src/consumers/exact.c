#include "consumers/exact.h"

#include "base/err.h"
#include "process/first_runs.h"
#include "profile/profile.h"
#include "profile/sums.h"
#include "program/elf/image.h"
#include "wire/channel.h"
#include "x86/insn.h"

void exact_init(struct exact *exact, struct units *units, struct profile *profile)
{
    *exact = (struct exact){.units = units, .profile = profile};
}

void exact_release(struct exact *exact)
{
    vec_release(&exact->segments);
    vec_release(&exact->pairs);
    vec_release(&exact->told);
    kept_release(&exact->kept);
}

static uint64_t less(uint64_t from, uint64_t what)
{
    return from > what ? from - what : 0;
}

/* A counter that is not published yet has counted nothing. */
static uint64_t counter(const struct exact *exact, uint64_t index)
{
    return index < exact->reading->n ? exact->reading->counters[index] : 0;
}

/* ---- giving out */

static void give_edge(struct exact *exact, struct place from, struct place to, enum edge_kind kind,
                      uint64_t count, uint64_t *given)
{
    if (count <= *given)
        return;
    struct edge_key key = {.from_module = from.module,
                           .to_module = to.module,
                           .from = from.address,
                           .to = to.address,
                           .kind = kind};
    struct mappings *mappings = exact->units->mappings;
    bool taken = !mappings->only || selection_takes_edge(mappings->only, mappings, from, to, kind);
    if (taken && exact->loose)
        *vec_push(&exact->profile->loose.edges) = (struct loose_edge){key, count - *given};
    else if (taken)
        sum_add(&table_at(&exact->profile->edges, &key)->count, count - *given);
    *given = count;
}

static void piece_add(struct exact *exact, uint32_t module, const struct piece *piece,
                      uint64_t count)
{
    struct range_key key = {.module = module,
                            .instructions = piece->instructions,
                            .start = piece->start,
                            .last = piece->last};
    if (exact->loose)
        *vec_push(&exact->profile->loose.ranges) = (struct loose_range){key, count};
    else
        sum_add(&table_at(&exact->profile->ranges, &key)->count, count);
}

/* `index`: the segment's, of which what is kept is known; or UINT32_MAX. */
static void give_range(struct exact *exact, const struct unit_segment *segment, uint32_t index,
                       uint64_t count, uint64_t *given)
{
    uint64_t more = less(count, *given);
    struct piece whole = {segment->at.address, segment_last(segment).address,
                          segment->instructions};
    struct mappings *mappings = exact->units->mappings;
    if (!more || !segment->instructions) {
        *given += more;
        return;
    }
    exact->instructions += more * segment->instructions;
    *given = count;
    if (!mappings->only) {
        piece_add(exact, segment->at.module, &whole, more);
        return;
    }
    if (index != UINT32_MAX) {
        const struct kept_segment *kept =
            kept_segment(&exact->kept, mappings->only, exact->units, index);
        for (uint32_t i = 0; i < kept->n; i++)
            piece_add(exact, segment->at.module, &exact->kept.pieces.at[kept->first + i], more);
        return;
    }
    struct pieces pieces = {0};
    selection_pieces(mappings->only, mappings, segment, &pieces);
    for (size_t i = 0; i < pieces.n; i++)
        piece_add(exact, segment->at.module, &pieces.at[i], more);
    vec_release(&pieces);
}

/* ---- what others tell */

void exact_tell_range(struct exact *exact, struct place start, struct svma last,
                      uint32_t instructions, uint64_t count)
{
    piece_add(exact, start.module, &(struct piece){start.address, last, instructions}, count);
    exact->instructions += count * instructions;
}

void exact_tell_edge(struct exact *exact, struct place from, struct place to, enum edge_kind kind,
                     uint64_t count)
{
    uint64_t none = 0;
    give_edge(exact, from, to, kind, count, &none);
    *vec_push(&exact->told) = (struct exact_telling){to, count};
}

void exact_tell_return(struct exact *exact, struct place to, uint64_t count)
{
    uint64_t none = 0;
    give_edge(exact, (struct place){MODULE_NONE, {0}}, to, EDGE_RETURN, count, &none);
}

/* ---- superblocks */

/* How often each part of a superblock ran, by its counters as they are now. */
struct flow {
    uint64_t ran, taken, fallen;
};

/* The flow of segment i, given what entered it. The current passage of each thread may still be
 * cut, or leave here: it is not given out yet. */
static struct flow flow_through(const struct exact *exact, const struct superblock *superblock,
                                uint32_t i, uint64_t entered)
{
    const struct unit_segment *segment = &exact->units->segments.at[superblock->first_segment + i];
    uint64_t cuts = exact->segments.at[superblock->first_segment + i].cuts;
    uint64_t under_way = exact->reading->last ? 0 : exact->reading->threads;
    uint64_t ran = less(entered, cuts + under_way);
    if (segment->end != SEGMENT_COND)
        return (struct flow){.ran = ran, .taken = ran};
    uint64_t taken = counter(exact, (uint64_t)superblock->counter + 1 + i);
    return (struct flow){.ran = ran, .taken = taken, .fallen = less(ran, taken)};
}

/* What enters the segment behind this one. */
static uint64_t flow_on(const struct flow *flow, const struct unit_segment *segment)
{
    return segment->end == SEGMENT_COND ? flow->fallen : flow->taken;
}

static void segment_give(struct exact *exact, uint32_t index, const struct flow *flow)
{
    const struct unit_segment *segment = &exact->units->segments.at[index];
    struct exact_segment *given = &exact->segments.at[index];
    struct place last = segment_last(segment);
    give_range(exact, segment, index, flow->ran, &given->ran);
    enum edge_kind kind;
    if (!segment->target || !segment_edge(segment, &kind))
        return;
    give_edge(exact, last, segment->to, kind, flow->taken, &given->taken);
    if (segment->end == SEGMENT_COND)
        give_edge(exact, last, segment_next(segment), EDGE_FALL, flow->fallen, &given->fallen);
}

/* One that was published after the counters were read: they may end between its entries and its
 * exits, which would then all seem to have fallen through. */
static bool superblock_later(const struct exact *exact, const struct superblock *superblock)
{
    uint64_t end = (uint64_t)superblock->counter + 1 + superblock->n_segments;
    return !exact->reading->last && end > exact->reading->n;
}

static void superblock_read(struct exact *exact, const struct superblock *superblock)
{
    uint64_t entered = counter(exact, superblock->counter);
    if (!entered || superblock_later(exact, superblock))
        return;
    for (uint32_t i = 0; i < superblock->n_segments; i++) {
        struct flow flow = flow_through(exact, superblock, i, entered);
        segment_give(exact, superblock->first_segment + i, &flow);
        entered = flow_on(&flow, &exact->units->segments.at[superblock->first_segment + i]);
    }
}

static const struct unit_segment *pair_site(const struct exact *exact, const struct pair *pair)
{
    const struct superblock *superblock =
        &exact->units->superblocks.at[units_owner(exact->units, pair->exit)];
    return &exact->units->segments
                .at[superblock->first_segment + pair->exit - superblock->first_exit];
}

static void pair_read(struct exact *exact, size_t index)
{
    const struct pair *pair = &exact->units->pairs.at[index];
    const struct unit_segment *site = pair_site(exact, pair);
    enum edge_kind kind;
    if (segment_edge(site, &kind))
        give_edge(exact, segment_last(site), pair->to, kind, counter(exact, pair->counter),
                  &exact->pairs.at[index]);
}

/* ---- cuts */

/* Address of instruction number n - 1 from `at` on, read from the module's file. */
static bool nth_instruction(const struct exact *exact, struct place at, uint32_t n,
                            struct svma *ret_last)
{
    struct image image;
    struct err err;
    if (!image_open(&image, exact->profile->modules.at[at.module].path, &err))
        return false;
    size_t room = 0, used = 0;
    const uint8_t *bytes = image_bytes(&image, at.address, &room);
    struct insn insn = {0};
    uint32_t decoded = 0;
    while (bytes && decoded < n && insn_decode(bytes + used, room - used, &insn)) {
        used += insn.length;
        decoded++;
    }
    image_close(&image);
    *ret_last = (struct svma){at.address.v + used - insn.length};
    return decoded == n;
}

/* The part that ran of a segment that was left in its middle. */
static void cut_read(struct exact *exact, const struct cut *cut)
{
    uint32_t index = exact->units->superblocks.at[cut->superblock].first_segment + cut->segment;
    const struct unit_segment *segment = &exact->units->segments.at[index];
    exact->segments.at[index].cuts++;
    exact->segments.at[index].cut_at_start += cut->instructions == 0;
    struct svma last;
    uint64_t given = 0;
    struct unit_segment part = *segment;
    if (!cut->instructions || !nth_instruction(exact, segment->at, cut->instructions, &last))
        return;
    part.instructions = cut->instructions;
    part.bytes = (uint32_t)(last.v - segment->at.address.v) + 1;
    part.last_bytes = 1; /* all that matters is where it starts */
    give_range(exact, &part, UINT32_MAX, 1, &given);
}

/* ---- arrivals by return */

struct arrivals {
    uint64_t entries, explained;
};

/* Of the places where superblocks begin: nobody arrives anywhere else. */
struct arrival_table {
    struct map keys; /* struct place */
    VEC(struct arrivals);
};

static struct arrivals *arrivals_at(struct arrival_table *table, struct place place)
{
    uint64_t key[2] = {place.module, place.address.v};
    uint32_t index = map_add(&table->keys, key);
    if (index == table->n)
        *vec_push(table) = (struct arrivals){0};
    return &table->at[index];
}

static void arrivals_explain(struct arrival_table *table, struct place place, uint64_t n)
{
    uint64_t key[2] = {place.module, place.address.v};
    uint32_t index = n ? map_find(&table->keys, key) : MAP_NONE;
    if (index != MAP_NONE)
        table->at[index].explained += n;
}

/* An arrival after which nothing ran explains no entry. */
static void arrivals_abandon(struct arrival_table *table, const struct units *units)
{
    for (size_t i = 0; i < units->abandoned.n; i++) {
        const struct place *place = &units->abandoned.at[i];
        uint64_t key[2] = {place->module, place->address.v};
        uint32_t index = map_find(&table->keys, key);
        if (index != MAP_NONE)
            table->at[index].explained = less(table->at[index].explained, 1);
    }
}

/* Where the direct exits of a superblock went. Uses what was given out: at the last reading it is
 * the truth. */
static void explain(const struct exact *exact, const struct superblock *superblock,
                    struct arrival_table *table)
{
    for (uint32_t i = 0; i < superblock->n_segments; i++) {
        uint32_t index = superblock->first_segment + i;
        const struct unit_segment *segment = &exact->units->segments.at[index];
        const struct exact_segment *given = &exact->segments.at[index];
        bool ends_here = i + 1 == superblock->n_segments;
        /* It had arrived before it was interrupted: coming back from the handler is no arrival. */
        arrivals_explain(table, segment->at, given->cut_at_start);
        if (segment->end == SEGMENT_COND) {
            arrivals_explain(table, segment->to, given->taken);
            if (ends_here)
                arrivals_explain(table, segment_next(segment), given->fallen);
        } else if (ends_here && segment->target) {
            arrivals_explain(table, segment->to, given->ran);
        }
    }
}

static void arrivals_read(struct exact *exact)
{
    struct arrival_table table = {0};
    const struct units *units = exact->units;
    map_init(&table.keys, 2 * sizeof(uint64_t));
    map_reserve(&table.keys, (uint32_t)units->superblocks.n);
    vec_room(&table, units->superblocks.n);
    for (size_t i = 0; i < units->superblocks.n; i++) {
        const struct superblock *superblock = &units->superblocks.at[i];
        arrivals_at(&table, units->segments.at[superblock->first_segment].at)->entries +=
            counter(exact, superblock->counter);
    }
    for (size_t i = 0; i < units->superblocks.n; i++)
        explain(exact, &units->superblocks.at[i], &table);
    for (size_t i = 0; i < units->pairs.n; i++)
        arrivals_explain(&table, units->pairs.at[i].to, exact->pairs.at[i]);
    for (size_t i = 0; i < exact->told.n; i++)
        arrivals_explain(&table, exact->told.at[i].to, exact->told.at[i].count);
    arrivals_abandon(&table, units);
    for (uint32_t i = 0; i < table.n; i++) {
        const uint64_t *key = map_key(&table.keys, i);
        struct place to = {(uint32_t)key[0], {key[1]}};
        uint64_t none = 0;
        give_edge(exact, (struct place){MODULE_NONE, {0}}, to, EDGE_RETURN,
                  less(table.at[i].entries, table.at[i].explained), &none);
    }
    map_release(&table.keys);
    vec_release(&table);
}

/* ---- all */

/* Every segment gives a range and one edge, half of them two; few are given by several. What turns
 * out to be too much is never touched. */
static void rows_expect(struct exact *exact)
{
    const struct units *units = exact->units;
    size_t n = units->segments.n;
    vec_room(&exact->segments, n);
    vec_room(&exact->pairs, units->pairs.n);
    if (exact->loose) {
        struct loose_rows *loose = &exact->profile->loose;
        vec_room(&loose->ranges, loose->ranges.n + n);
        vec_room(&loose->edges, loose->edges.n + n + n / 2 + units->pairs.n + units->superblocks.n);
        return;
    }
    table_expect(&exact->profile->ranges, n);
    table_expect(&exact->profile->edges, n + n / 2 + units->pairs.n);
}

void exact_read(struct exact *exact, const struct exact_reading *reading)
{
    exact->reading = reading;
    if (reading->last)
        rows_expect(exact);
    while (exact->segments.n < exact->units->segments.n)
        *vec_push(&exact->segments) = (struct exact_segment){0};
    while (exact->pairs.n < exact->units->pairs.n)
        *vec_push(&exact->pairs) = 0;
    for (; exact->cuts_read < exact->units->cuts.n; exact->cuts_read++)
        cut_read(exact, &exact->units->cuts.at[exact->cuts_read]);
    for (size_t i = 0; i < exact->units->superblocks.n; i++)
        superblock_read(exact, &exact->units->superblocks.at[i]);
    for (size_t i = 0; i < exact->units->pairs.n; i++)
        pair_read(exact, i);
    if (reading->last) {
        arrivals_read(exact);
        if (!exact->units->mappings->only)
            first_runs_tell(exact->units, exact->profile);
    }
    exact->reading = NULL;
}
