/* Which places have values, numbered in the order in which they come: an instruction, and what of it is looked at (its result, an operand, an
 * address). */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "collect/payloads.h"
#include "profile/profile.h"

enum { VALUE_PLACE_NONE = UINT32_MAX };

struct value_places {
    const struct units *units;
    struct map keys; /* struct value_key, the value 0 */
    struct {
        VEC(uint32_t);
    } items;         /* as units->payload: its place */
    size_t followed; /* superblocks of units whose items these are */
};

void value_places_init(struct value_places *places, const struct units *units);
void value_places_release(struct value_places *places);
/* Gives all items of units their places. */
void value_places_follow(struct value_places *places);
/* The number, from 0, of the place of an event; VALUE_PLACE_NONE: it is of no value that is kept. */
uint32_t value_places_of(struct value_places *places, const struct payload_event *event);

static inline struct value_key value_places_key(const struct value_places *places, uint32_t place)
{
    return *(const struct value_key *)map_key(&places->keys, place);
}
