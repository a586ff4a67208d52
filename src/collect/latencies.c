#include "collect/latencies.h"

#include "profile/value_kinds.h"

#include <math.h>

enum { LINE_BYTES = 64, LINE_TOLD = 2 };

static struct latency_place *place_of(struct latencies *latencies, struct place at)
{
    struct latency_key key = {.module = at.module, .address = at.address.v};
    uint32_t index = map_add(&latencies->keys, &key);
    if (index == latencies->places.n)
        *vec_push(&latencies->places) = (struct latency_place){0};
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
    place_see(place_of(latencies, at), latency_scale_bin(latencies->scale, ticks),
              fmax((double)ticks - latencies->scale->floor, 0), times);
}

static void take(struct payload_consumer *consumer, const struct payload_event *event)
{
    struct latencies *latencies = (struct latencies *)consumer;
    if (event->item->kind == PAYLOAD_ADDRESS) {
        latencies->address = event->words[0];
        latencies->address_pc = event->pc;
    }
    if (event->item->kind != PAYLOAD_LATENCY || !event->words[0] || !latencies->scale ||
        !value_places_keep(&latencies->lists->places, event->at))
        return;
    uint64_t ticks = event->words[0];
    enum latency_bin bin = latency_scale_bin(latencies->scale, ticks);
    struct latency_place *place = place_of(latencies, event->at);
    place_see(place, bin, fmax((double)ticks - latencies->scale->floor, 0), 1);
    if (latencies->address_pc != event->pc)
        return;
    uint64_t line = (latencies->address & -(uint64_t)LINE_BYTES) | bin;
    if (bin != LATENCY_NEAR)
        hotlist_insert(&place->slow, line, &latencies->random);
    value_lists_see(latencies->lists, value_lists_place(latencies->lists, event->at, VALUE_OF_LINE),
                    line, 1 << VALUE_BITS);
}

void latencies_init(struct latencies *latencies, struct value_lists *lists)
{
    *latencies = (struct latencies){.consumer = {take}, .lists = lists};
    map_init(&latencies->keys, sizeof(struct latency_key));
}

void latencies_release(struct latencies *latencies)
{
    map_release(&latencies->keys);
    vec_release(&latencies->places);
    vec_release(&latencies->touched);
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
