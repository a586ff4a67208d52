#include "values/value_strides.h"

void value_strides_release(struct value_strides *strides)
{
    vec_release(&strides->at);
    vec_release(&strides->met);
}

static void address_take(struct value_strides *strides, uint32_t place, uint64_t address,
                         value_see_times *see, void *to)
{
    while (strides->at.n <= place)
        *vec_push(&strides->at) = (struct value_stride){0};
    struct value_stride *last = &strides->at.at[place];
    uint64_t stride = address - last->address;
    if (last->window != strides->window) {
        *last = (struct value_stride){.window = strides->window, .address = address};
        *vec_push(&strides->met) = place;
        return;
    }
    if (strides->most && last->counted == strides->most)
        return;
    last->address = address;
    if (last->times && last->stride != stride) {
        see(to, place, last->stride, last->times);
        last->times = 0;
        last->counted++;
    }
    last->stride = stride;
    last->times++;
}

void value_strides_read(struct value_strides *strides, struct value_places *places,
                        const struct payload_window *window, value_see_times *see, void *to)
{
    const uint64_t *word = window->words;
    strides->window++;
    for (uint32_t i = 0; i < window->n_exits; i++) {
        const struct payload_part *part = &places->parts.at[window->exits[i]].part;
        uint32_t superblock = (uint32_t)units_owner(places->units, window->exits[i]);
        for (uint32_t k = part->first_item; k < part->first_item + part->n_items; k++) {
            const struct value_item *item = value_places_item(places, superblock, k);
            if (item->stride != VALUE_PLACE_NONE)
                address_take(strides, item->stride, *word, see, to);
            word += item->words;
        }
    }
    for (size_t i = 0; i < strides->met.n; i++) {
        const struct value_stride *last = &strides->at.at[strides->met.at[i]];
        if (last->times)
            see(to, strides->met.at[i], last->stride, last->times);
    }
    strides->met.n = 0;
}
