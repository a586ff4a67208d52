#include "values/value_places.h"

#include "process/selection.h"
#include "profile/value_kinds.h"

enum { PART_UNKNOWN = UINT32_MAX };
static const struct place nobody = {MODULE_NONE, {0}};

void value_places_init(struct value_places *places, const struct units *units)
{
    *places = (struct value_places){.units = units};
    map_init(&places->keys, sizeof(struct value_key));
    value_pointers_init(&places->pointers, units->mappings);
}

void value_places_release(struct value_places *places)
{
    map_release(&places->keys);
    vec_release(&places->items);
    vec_release(&places->parts);
    vec_release(&places->last);
    value_pointers_release(&places->pointers);
}

/* Vectors by their lowest word; where a push or a return goes says nothing, gathers too much.
 * Latencies are no values. */
static bool kind_taken(enum payload_kind kind)
{
    switch (kind) {
    case PAYLOAD_ADDRESS:
    case PAYLOAD_SOURCE:
    case PAYLOAD_DESTINATION:
    case PAYLOAD_COUNT:
    case PAYLOAD_OPERAND:
    case PAYLOAD_RESULT:
    case PAYLOAD_SYSCALL:
    case PAYLOAD_VECTOR: return true;
    default: return false;
    }
}

uint32_t value_places_add(struct value_places *places, const struct value_key *key)
{
    uint32_t place = map_add(&places->keys, key);
    while ((key->kind & VALUE_STRIDE) && places->last.n <= place)
        *vec_push(&places->last) = (struct last_address){0};
    return place;
}

bool value_places_keep(const struct value_places *places, struct place at)
{
    const struct mappings *mappings = places->units->mappings;
    return at.module != MODULE_NONE &&
           (!mappings->only || selection_takes(mappings->only, mappings, at));
}

uint32_t value_places_called(struct value_places *places, const struct unit_segment *segment,
                             const struct wire_payload *item, uint32_t stride, struct place caller)
{
    struct place at = {segment->at.module, {segment->at.address.v + item->offset}};
    return value_places_of(places, item, stride, at, caller);
}

uint32_t value_places_of(struct value_places *places, const struct wire_payload *item,
                         uint32_t stride, struct place at, struct place caller)
{
    if (!kind_taken((enum payload_kind)item->kind) || !value_places_keep(places, at) ||
        (stride && item->kind != PAYLOAD_ADDRESS))
        return VALUE_PLACE_NONE;
    uint32_t later = item->kind == PAYLOAD_SYSCALL ? VALUE_LATER : 0;
    struct value_key key = {.module = at.module,
                            .kind = value_kind(item->kind, item->detail) | stride | later,
                            .address = at.address.v,
                            .to = MODULE_NONE,
                            .caller_module = caller.module,
                            .caller = caller.address.v};
    return value_places_add(places, &key);
}

void value_places_meet(struct value_places *places, uint32_t superblock, uint32_t item)
{
    const struct units *units = places->units;
    const struct unit_segment *segment =
        &units->segments.at[units->superblocks.at[superblock].first_segment];
    const struct wire_payload *its = &units->payload.at[item];
    uint32_t before = 0;
    while (its->instruction >= before + segment->instructions)
        before += segment++->instructions;
    places->items.at[item] = (struct value_item){
        .place = value_places_called(places, segment, its, 0, nobody),
        .stride = value_places_called(places, segment, its, VALUE_STRIDE, nobody),
        .words = its->words};
}

static void follow(struct value_places *places)
{
    while (places->items.n < places->units->payload.n)
        *vec_push(&places->items) = (struct value_item){.place = VALUE_PLACE_UNMET};
}

/* Looked up once. NULL: it is nobody's exit. */
static const struct value_part *part_of(struct value_places *places, uint32_t exit)
{
    if (exit >= places->units->owner.n)
        return NULL;
    while (places->parts.n <= exit)
        *vec_push(&places->parts) = (struct value_part){.part.n_items = PART_UNKNOWN};
    struct value_part *known = &places->parts.at[exit];
    if (known->part.n_items == PART_UNKNOWN && !payload_part(places->units, exit, &known->part))
        return NULL;
    return known;
}

bool value_places_admit(struct value_places *places, const struct payload_window *window)
{
    uint64_t words = 0;
    for (uint32_t i = 0; i < window->n_exits; i++) {
        const struct value_part *known = part_of(places, window->exits[i]);
        if (!known)
            return false;
        words += known->part.words;
    }
    follow(places);
    return words == window->n_words;
}

void value_places_sum(const struct value_places *places, struct payload_sum *sum)
{
    for (uint32_t i = 0; i < places->parts.n; i++)
        if (places->parts.at[i].taken)
            payload_sum_exit(sum, places->units, i, places->parts.at[i].taken);
}

struct value_key value_places_row(struct value_places *places, uint32_t place, uint64_t value)
{
    struct value_key key = value_places_key(places, place);
    bool number = (key.kind & VALUE_STRIDE) || (key.kind & 0xff) == PAYLOAD_COUNT;
    struct place to = number ? (struct place){MODULE_NONE, {value}}
                             : value_pointers_find(&places->pointers, value);
    key.to = to.module;
    key.value = to.address.v;
    return key;
}
