/* Which places have values, numbered in the order in which they come: an instruction, and what of
 * it is looked at (its result, an operand, an address, how far that is from the one before); and
 * the values of windows, or of passages of traces, one after the other.
 *
 * By callers: an instruction has as many places as there are return addresses of who called its
 * function. They are known from the calls of the window itself: before the first, and when more was
 * returned from than was called, it is not. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "values/payloads.h"
#include "values/value_pointers.h"
#include "profile/profile.h"

enum { VALUE_PLACE_NONE = UINT32_MAX, VALUE_PLACE_UNMET = UINT32_MAX - 1 };

/* What an exit has recorded, and how often it was met. */
struct value_part {
    struct payload_part part;
    uint64_t taken;
};

/* What an item's words are values of. */
struct value_item {
    uint32_t place, stride; /* of its values, and of how far they are apart */
    uint32_t words;
};

/* What a place of strides saw last, and in which window. */
struct last_address {
    uint64_t window, address;
};

struct value_places {
    const struct units *units;
    struct map keys; /* struct value_key, the value 0 */
    struct {
        VEC(struct value_item);
    } items; /* as units->payload */
    struct {
        VEC(struct last_address);
    } last;          /* by place, of strides */
    uint64_t window; /* counts them */
    bool by_callers;
    struct value_pointers pointers;
    struct {
        VEC(struct value_part);
    } parts; /* by exit id */
};

void value_places_init(struct value_places *places, const struct units *units);
void value_places_release(struct value_places *places);
/* Whether the words are as many as the exits say: then they can be read. */
bool value_places_admit(struct value_places *places, const struct payload_window *window);
/* What was read, counted as payloads_read does. */
void value_places_sum(const struct value_places *places, struct payload_sum *sum);

static inline struct value_key value_places_key(const struct value_places *places, uint32_t place)
{
    return *(const struct value_key *)map_key(&places->keys, place);
}

/* The same with that value, told as an address if it is one. */
struct value_key value_places_row(struct value_places *places, uint32_t place, uint64_t value);

typedef void value_see(void *to, uint32_t place, uint64_t value);
/* The stride to an address, if another was seen before in the window. */
static inline void value_places_stride(struct value_places *places, uint32_t stride,
                                       uint64_t address, value_see *see, void *to)
{
    struct last_address *last = &places->last.at[stride];
    if (last->window == places->window)
        see(to, stride, address - last->address);
    *last = (struct last_address){places->window, address};
}

/* The place of that key, its value being 0. */
uint32_t value_places_add(struct value_places *places, const struct value_key *key);
/* The place of an item, of its strides with VALUE_STRIDE, if who called is to return there. */
uint32_t value_places_called(struct value_places *places, const struct unit_segment *segment,
                             const struct wire_payload *item, uint32_t stride, struct place caller);
/* The same of an item whose instruction is there. */
uint32_t value_places_of(struct value_places *places, const struct wire_payload *item,
                         uint32_t stride, struct place at, struct place caller);
/* Whether anything is kept of the instruction there (record --only). */
bool value_places_keep(const struct value_places *places, struct place at);
/* The item of a superblock has a value for the first time, and gets its places: most code that is
 * translated never runs in a window. */
void value_places_meet(struct value_places *places, uint32_t superblock, uint32_t item);
static inline const struct value_item *value_places_item(struct value_places *places,
                                                         uint32_t superblock, uint32_t item)
{
    if (places->items.at[item].place == VALUE_PLACE_UNMET)
        value_places_meet(places, superblock, item);
    return &places->items.at[item];
}
/* The same with places by callers; numbers of places may be new ones. */
void value_places_read_called(struct value_places *places, const struct payload_window *window,
                              value_see *see, void *to);

/* The values of a window that was admitted: `see` gets the number of the place and the value. */
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
