#include "values/value_calls.h"

enum { STUB_INSTRUCTIONS = 2 }; /* endbr64, and a jump through the table */

struct reading {
    struct value_places *places;
    value_see *see;
    void *to;
    const uint64_t *word;
    struct call_crossing *crossing;
};

static void crossing_give(struct reading *reading, struct place reached)
{
    const struct place nobody = {MODULE_NONE, {0}};
    struct call_crossing *crossing = reading->crossing;
    struct place at = crossing->returns ? crossing->at : reached;
    struct place caller = crossing->returns ? reached : crossing->at;
    if (!reading->places->by_callers)
        caller = nobody;
    for (uint32_t i = 0; i < crossing->n && value_places_keep(reading->places, at); i++) {
        struct value_key key = {.module = at.module,
                                .kind = crossing->words[i].kind,
                                .address = at.address.v,
                                .to = MODULE_NONE,
                                .caller_module = caller.module,
                                .caller = caller.address.v};
        uint32_t place = value_places_add(reading->places, &key);
        reading->see(reading->to, place, crossing->words[i].value);
    }
    crossing->n = 0;
}

static void segment_enter(struct reading *reading, const struct unit_segment *segment)
{
    struct call_crossing *crossing = reading->crossing;
    bool stub = !crossing->returns && !crossing->behind_stub && segment->end == SEGMENT_IJUMP &&
                segment->instructions <= STUB_INSTRUCTIONS;
    if (!crossing->n)
        return;
    if (stub)
        crossing->behind_stub = true;
    else
        crossing_give(reading, segment->at);
}

static void item_take(struct reading *reading, const struct unit_segment *segment,
                      const struct wire_payload *item)
{
    struct call_crossing *crossing = reading->crossing;
    bool returns = item->kind == PAYLOAD_RETURNED;
    if ((returns || item->kind == PAYLOAD_ARGUMENT) && crossing->n < CALL_WORDS) {
        crossing->returns = returns;
        crossing->behind_stub = false;
        crossing->at = returns ? segment_last(segment) : segment_next(segment);
        crossing->words[crossing->n++] =
            (struct call_word){value_kind(item->kind, item->detail), *reading->word};
    }
    reading->word += item->words;
}

static void exit_read(struct reading *reading, uint32_t exit)
{
    const struct units *units = reading->places->units;
    const struct superblock *superblock = &units->superblocks.at[units_owner(units, exit)];
    const struct wire_payload *items = &units->payload.at[superblock->first_item];
    uint32_t last = superblock_last_segment(superblock, exit - superblock->first_exit);
    uint32_t n_items = reading->places->parts.at[exit].part.n_items, before = 0, item = 0;
    for (uint32_t s = 0; s <= last; s++) {
        const struct unit_segment *segment = &units->segments.at[superblock->first_segment + s];
        segment_enter(reading, segment);
        before += segment->instructions;
        for (; item < n_items && items[item].instruction < before; item++)
            item_take(reading, segment, &items[item]);
    }
}

void value_calls_read(struct value_places *places, const struct payload_window *window,
                      struct call_crossing *crossing, value_see *see, void *to)
{
    struct reading reading = {
        .places = places, .see = see, .to = to, .word = window->words, .crossing = crossing};
    for (uint32_t i = 0; i < window->n_exits; i++)
        exit_read(&reading, window->exits[i]);
}
