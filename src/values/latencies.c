#include "values/latencies.h"

#include "profile/value_kinds.h"

#include <math.h>

enum { LINE_BYTES = 64, LINE_TOLD = 2 };

static uint32_t place_index(struct latencies *latencies, struct place at)
{
    struct latency_key key = {.module = at.module, .address = at.address};
    uint32_t index = map_add(&latencies->keys, &key);
    if (index == latencies->places.n)
        *vec_push(&latencies->places) = (struct latency_place){0};
    return index;
}

static struct latency_place *place_touch(struct latencies *latencies, uint32_t index)
{
    struct latency_place *place = &latencies->places.at[index];
    if (!place->touched) {
        *place = (struct latency_place){.touched = true};
        hotlist_init(&place->slow, HOTLIST_DEFAULT);
        *vec_push(&latencies->touched) = index;
    }
    return place;
}

static void place_see(struct latency_place *place, enum latency_bin bin, double beyond,
                      uint64_t times)
{
    place->bins[bin].count += times;
    place->bins[bin].ticks += beyond * (double)times;
    place->bins[bin].squares += beyond * beyond * (double)times;
}

void latencies_see(struct latencies *latencies, struct place at, uint64_t ticks, uint64_t times)
{
    if (!latencies->scale || !value_places_keep(&latencies->lists->places, at))
        return;
    place_see(place_touch(latencies, place_index(latencies, at)),
              latency_scale_bin(latencies->scale, ticks),
              fmax((double)ticks - latencies->scale->floor, 0), times);
}

/* ---- windows */

static void superblock_meet(struct latencies *latencies, const struct superblock *superblock,
                            struct latency_superblock *ret)
{
    const struct value_places *places = &latencies->lists->places;
    const struct units *units = places->units;
    const struct wire_payload *items = &units->payload.at[superblock->first_item];
    const struct unit_segment *segment = &units->segments.at[superblock->first_segment];
    const struct unit_segment *behind = segment + superblock->n_segments;
    uint32_t before = 0, word = 0, address_word = 0, addressed = LATENCY_NOWHERE;
    *ret = (struct latency_superblock){.known = true, .first = (uint32_t)latencies->items.n};
    for (uint32_t i = 0; i < superblock->n_items; word += items[i++].words) {
        while (segment < behind && items[i].instruction >= before + segment->instructions)
            before += segment++->instructions;
        if (segment == behind) /* none that is executed */
            return;
        if (items[i].kind == PAYLOAD_ADDRESS) {
            address_word = word;
            addressed = items[i].instruction;
        }
        if (items[i].kind != PAYLOAD_LATENCY)
            continue;
        struct place at = {segment->at.module, {segment->at.address.v + items[i].offset}};
        *vec_push(&latencies->items) = (struct latency_item){
            .word = word,
            .item = i,
            .address_word = addressed == items[i].instruction ? address_word : LATENCY_NOWHERE,
            .at = at,
            .kept = value_places_keep(places, at),
            .place = LATENCY_NOWHERE,
            .line_place = LATENCY_NOWHERE};
        ret->n++;
    }
}

static struct latency_superblock superblock_of(struct latencies *latencies, uint32_t index)
{
    while (latencies->superblocks.n <= index)
        *vec_push(&latencies->superblocks) = (struct latency_superblock){0};
    struct latency_superblock *known = &latencies->superblocks.at[index];
    if (!known->known)
        superblock_meet(latencies, &latencies->lists->places.units->superblocks.at[index], known);
    return *known;
}

/* `words` are the superblock's. */
static void item_take(struct latencies *latencies, struct latency_item *item, const uint64_t *words)
{
    uint64_t ticks = words[item->word];
    enum latency_bin bin = latency_scale_bin(latencies->scale, ticks);
    if (item->place == LATENCY_NOWHERE)
        item->place = place_index(latencies, item->at);
    struct latency_place *place = place_touch(latencies, item->place);
    place_see(place, bin, fmax((double)ticks - latencies->scale->floor, 0), 1);
    if (item->address_word == LATENCY_NOWHERE)
        return;
    uint64_t line = (words[item->address_word] & -(uint64_t)LINE_BYTES) | bin;
    if (bin != LATENCY_NEAR)
        hotlist_insert(&place->slow, line, &latencies->random);
    if (item->line_place == LATENCY_NOWHERE)
        item->line_place = value_lists_place(latencies->lists, item->at, VALUE_OF_LINE);
    value_lists_see(latencies->lists, item->line_place, line, 1 << VALUE_BITS);
}

uint64_t latencies_window(struct latencies *latencies, const struct payload_window *window)
{
    const struct value_places *places = &latencies->lists->places;
    const uint64_t *words = window->words;
    uint64_t timed = 0;
    for (uint32_t i = 0; i < window->n_exits; i++) {
        const struct payload_part *part = &places->parts.at[window->exits[i]].part;
        struct latency_superblock superblock =
            superblock_of(latencies, (uint32_t)units_owner(places->units, window->exits[i]));
        for (uint32_t k = 0; k < superblock.n; k++) {
            struct latency_item *item = &latencies->items.at[superblock.first + k];
            if (item->item >= part->n_items)
                break;
            if (!words[item->word])
                continue;
            timed++;
            if (item->kept)
                item_take(latencies, item, words);
        }
        words += part->words;
    }
    return timed;
}

void latencies_init(struct latencies *latencies, struct value_lists *lists)
{
    *latencies = (struct latencies){.lists = lists};
    map_init(&latencies->keys, sizeof(struct latency_key));
}

void latencies_release(struct latencies *latencies)
{
    map_release(&latencies->keys);
    vec_release(&latencies->places);
    vec_release(&latencies->touched);
    vec_release(&latencies->items);
    vec_release(&latencies->superblocks);
}

static void row_add(struct batch *batch, const struct latency_key *key, double ticks,
                    uint64_t count)
{
    batch_table_add(&batch->latencies, batch_latency_index(batch, key), (uint64_t)(ticks + 0.5),
                    count);
}

static void place_flush(const struct latency_place *place, struct latency_key key,
                        struct batch *batch)
{
    for (key.bin = 0; key.bin < LATENCY_BINS; key.bin++) {
        const struct latency_cell *cell = &place->bins[key.bin];
        if (!cell->count)
            continue;
        key.data = 0;
        row_add(batch, &key, cell->ticks, cell->count);
        key.data = LATENCY_SQUARES;
        row_add(batch, &key, cell->squares, 0);
    }
    struct hotlist_estimate slow[HOTLIST_VALUES];
    size_t n = hotlist_estimates(&place->slow, slow);
    for (size_t i = 0; i < n; i++) {
        key.data = slow[i].value & -(uint64_t)LINE_BYTES;
        key.bin = (uint32_t)(slow[i].value % LINE_BYTES);
        if (slow[i].lo >= LINE_TOLD && key.data)
            row_add(batch, &key, 0, slow[i].lo);
    }
}

void latencies_flush(struct latencies *latencies, struct batch *batch)
{
    for (size_t i = 0; i < latencies->touched.n; i++) {
        uint32_t index = latencies->touched.at[i];
        const struct latency_key *key = map_key(&latencies->keys, index);
        place_flush(&latencies->places.at[index], *key, batch);
        latencies->places.at[index].touched = false;
    }
    latencies->touched.n = 0;
}
