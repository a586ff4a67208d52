/* Places of values, numbered as they appear: an instruction, and what of it is looked at (its
 * result, an operand, an address, the stride to the address before). And a loop over the values of
 * windows or of passages of traces.
 *
 * By callers: an instruction has a place for each return address of its function. Those are known
 * from the calls of the window itself: not before the first call, and not after more returns than
 * calls. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "values/payloads.h"
#include "values/value_pointers.h"
#include "profile/profile.h"

enum { VALUE_PLACE_NONE = UINT32_MAX, VALUE_PLACE_UNMET = UINT32_MAX - 1 };

/* What an exit records, and how often it occurred. */
struct value_part {
    struct payload_part part;
    uint64_t taken;
};

/* The places of an item's words. */
struct value_item {
    uint32_t place, stride; /* of its values, and of their strides */
    uint32_t words;
};

/* The last address of a place of strides, and its window. */
struct last_address {
    uint64_t window, address;
};

struct value_places {
    const struct units *units;
    struct map keys; /* struct value_key, with value 0 */
    struct {
        VEC(struct value_item);
    } items; /* as units->payload */
    struct {
        VEC(struct last_address);
    } last;          /* by place of strides */
    uint64_t window; /* number */
    bool by_callers;
    bool calls; /* windows have arguments and results of calls: value_calls.h */
    struct value_pointers pointers;
    struct {
        VEC(struct value_part);
    } parts; /* by exit id */
};

void value_places_init(struct value_places *places, const struct units *units);
void value_places_release(struct value_places *places);
/* Whether the words match the exits: then they can be read. */
bool value_places_admit(struct value_places *places, const struct payload_window *window);
/* Adds what was read to `sum`, as payloads_read does. */
void value_places_sum(const struct value_places *places, struct payload_sum *sum);

static inline struct value_key value_places_key(const struct value_places *places, uint32_t place)
{
    return *(const struct value_key *)map_key(&places->keys, place);
}

/* The key with that value, as an address if it is one. */
struct value_key value_places_row(struct value_places *places, uint32_t place, uint64_t value);

typedef void value_see(void *to, uint32_t place, uint64_t value);
/* Reports the stride to an address, if the window has an earlier one. */
static inline void value_places_stride(struct value_places *places, uint32_t stride,
                                       uint64_t address, value_see *see, void *to)
{
    struct last_address *last = &places->last.at[stride];
    if (last->window == places->window)
        see(to, stride, address - last->address);
    *last = (struct last_address){places->window, address};
}

/* The place of a key, whose value is 0. */
uint32_t value_places_add(struct value_places *places, const struct value_key *key);
/* The place of an item (with VALUE_STRIDE: of its strides), if its function returns to `caller`. */
uint32_t value_places_called(struct value_places *places, const struct unit_segment *segment,
                             const struct wire_payload *item, uint32_t stride, struct place caller);
/* The same for an item of the instruction at `at`. */
uint32_t value_places_of(struct value_places *places, const struct wire_payload *item,
                         uint32_t stride, struct place at, struct place caller);
/* Whether the instruction is kept (record --only). */
bool value_places_keep(const struct value_places *places, struct place at);
/* An item gets its places when it first has a value: most translated code never runs in a window.
 */
void value_places_meet(struct value_places *places, uint32_t superblock, uint32_t item);
static inline const struct value_item *value_places_item(struct value_places *places,
                                                         uint32_t superblock, uint32_t item)
{
    if (places->items.at[item].place == VALUE_PLACE_UNMET)
        value_places_meet(places, superblock, item);
    return &places->items.at[item];
}
/* The same with places by callers. May add places. */
void value_places_read_called(struct value_places *places, const struct payload_window *window,
                              value_see *see, void *to);

/* Reads the values of a window that was admitted: `see` gets the place and the value. */
__attribute__((always_inline)) static inline void
value_places_read(struct value_places *places, const struct payload_window *window, value_see *see,
                  void *to)
{
    const uint64_t *word = window->words;
    places->window++;
    if (places->by_callers) {
        value_places_read_called(places, window, see, to);
        return;
    }
    for (uint32_t i = 0; i < window->n_exits; i++) {
        struct value_part *known = &places->parts.at[window->exits[i]];
        uint32_t behind = known->part.first_item + known->part.n_items;
        known->taken++;
        uint32_t superblock = (uint32_t)units_owner(places->units, window->exits[i]);
        for (uint32_t k = known->part.first_item; k < behind; k++) {
            struct value_item item = *value_places_item(places, superblock, k);
            if (item.place != VALUE_PLACE_NONE)
                see(to, item.place, *word);
            if (item.stride != VALUE_PLACE_NONE)
                value_places_stride(places, item.stride, *word, see, to);
            word += item.words;
        }
    }
}
