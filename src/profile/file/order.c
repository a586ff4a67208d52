#include "profile/file/order.h"

#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

void row_order_release(struct row_order *order)
{
    vec_release(&order->rows);
    vec_release(&order->sorted);
    vec_release(&order->other);
}

static struct row_place *places_of(struct row_places *places, size_t n)
{
    vec_room(places, n);
    places->n = n;
    return places->at;
}

/* From how many have each digit to where the first of them goes. */
static void counts_sum(uint32_t counts[DIGITS])
{
    uint32_t sum = 0;
    for (size_t i = 0; i < DIGITS; i++) {
        uint32_t n = counts[i];
        counts[i] = sum;
        sum += n;
    }
}

/* By one digit of their words, from sorted to other; then these change names. */
static void digit_sort(struct row_order *order, unsigned shift)
{
    uint32_t counts[DIGITS] = {0};
    size_t n = order->sorted.n;
    const struct row_place *from = order->sorted.at;
    struct row_place *to = places_of(&order->other, n);
    for (size_t i = 0; i < n; i++)
        counts[from[i].word >> shift & (DIGITS - 1)]++;
    counts_sum(counts);
    for (size_t i = 0; i < n; i++)
        to[counts[from[i].word >> shift & (DIGITS - 1)]++] = from[i];
    struct row_places swap = order->sorted;
    order->sorted = order->other;
    order->other = swap;
}

static void places_sort(struct row_order *order, uint64_t different)
{
    for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS)
        if (different >> shift & (DIGITS - 1))
            digit_sort(order, shift);
}

void row_places_sort(struct row_order *order)
{
    uint64_t different = 0;
    for (size_t i = 0; i < order->sorted.n; i++)
        different |= order->sorted.at[i].word ^ order->sorted.at[0].word;
    places_sort(order, different);
}

static void field_sort(struct row_order *order, size_t field)
{
    uint64_t first = order->rows.at[0].fields[field], different = 0;
    for (size_t i = 0; i < order->rows.n; i++)
        different |= order->rows.at[i].fields[field] ^ first;
    if (!different)
        return;
    for (size_t i = 0; i < order->sorted.n; i++)
        order->sorted.at[i].word = order->rows.at[order->sorted.at[i].index].fields[field];
    places_sort(order, different);
}

void row_order_make(struct row_order *order, size_t n_fields)
{
    size_t n = order->rows.n;
    struct row_place *places = places_of(&order->sorted, n);
    for (size_t i = 0; i < n; i++)
        places[i] = (struct row_place){.index = (uint32_t)i};
    while (n && n_fields--)
        field_sort(order, n_fields);
}
