/* Which places have values, numbered in the order in which they come: an instruction, and what of it is looked at (its result, an operand, an
 * address); and the values of windows, or of passages of traces, one after the other. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "collect/payloads.h"
#include "profile/profile.h"

enum { VALUE_PLACE_NONE = UINT32_MAX };

/* What an exit has recorded, and how often it was met. */
struct value_part {
    struct payload_part part;
    uint64_t taken;
};

struct value_places {
    const struct units *units;
    struct map keys; /* struct value_key, the value 0 */
    struct {
        VEC(uint32_t);
    } items;         /* as units->payload: its place */
    size_t followed; /* superblocks of units whose items these are */
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

/* The values of a window that was admitted: `see` gets the number of the place and the value. */
__attribute__((always_inline)) static inline void
value_places_read(struct value_places *places, const struct payload_window *window,
                  void (*see)(void *to, uint32_t place, uint64_t value), void *to)
{
    const struct wire_payload *items = places->units->payload.at;
    const uint64_t *word = window->words;
    for (uint32_t i = 0; i < window->n_exits; i++) {
        struct value_part *known = &places->parts.at[window->exits[i]];
        uint32_t behind = known->part.first_item + known->part.n_items;
        known->taken++;
        for (uint32_t k = known->part.first_item; k < behind; k++) {
            uint32_t place = places->items.at[k];
            if (place != VALUE_PLACE_NONE)
                see(to, place, *word);
            word += items[k].words;
        }
    }
}
