/* Values by who called (window_calls.h). */
#include "values/value_places.h"
#include "values/window_calls.h"

struct reading {
    struct value_places *places;
    value_see *see;
    void *to;
    const uint64_t *word;
    struct window_calls calls;
};

static void item_see(struct reading *reading, const struct unit_segment *segment,
                     const struct wire_payload *item)
{
    struct value_places *places = reading->places;
    struct place caller = window_calls_caller(&reading->calls);
    uint32_t place = value_places_called(places, segment, item, 0, caller);
    if (place != VALUE_PLACE_NONE)
        reading->see(reading->to, place, *reading->word);
    uint32_t stride = value_places_called(places, segment, item, VALUE_STRIDE, caller);
    if (stride != VALUE_PLACE_NONE)
        value_places_stride(places, stride, *reading->word, reading->see, reading->to);
    reading->word += item->words;
}

static void exit_see(struct reading *reading, uint32_t exit)
{
    const struct units *units = reading->places->units;
    const struct superblock *superblock = &units->superblocks.at[units_owner(units, exit)];
    const struct wire_payload *items = &units->payload.at[superblock->first_item];
    struct value_part *known = &reading->places->parts.at[exit];
    uint32_t last = superblock_last_segment(superblock, exit - superblock->first_exit);
    uint32_t before = 0, item = 0;
    known->taken++;
    for (uint32_t s = 0; s <= last; s++) {
        const struct unit_segment *segment = &units->segments.at[superblock->first_segment + s];
        before += segment->instructions;
        for (; item < known->part.n_items && items[item].instruction < before; item++)
            item_see(reading, segment, &items[item]);
        window_calls_leave(&reading->calls, segment);
    }
}

void value_places_read_called(struct value_places *places, const struct payload_window *window,
                              value_see *see, void *to)
{
    struct reading reading = {.places = places, .see = see, .to = to, .word = window->words};
    for (uint32_t i = 0; i < window->n_exits; i++)
        exit_see(&reading, window->exits[i]);
}
