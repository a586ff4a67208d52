#include "collect/rates.h"

/* One timing of its own weighs as much as so many of the larger place around it: a loop that
 * waits for memory can be ten times slower than its page. */
enum { OWN = 2 };

static struct rate_place page_of(const struct rate_place *place)
{
    return (struct rate_place){.start = place->start >> 12, .share = UINT64_MAX};
}

void rates_init(struct rates *rates)
{
    *rates = (struct rates){0};
    map_init(&rates->keys, sizeof(struct rate_place));
}

void rates_release(struct rates *rates)
{
    map_release(&rates->keys);
    vec_release(rates);
}

static void sum_add(struct rate_sum *sum, uint64_t rate)
{
    sum->sum += rate;
    sum->n++;
}

static struct rate_sum *sum_at(struct rates *rates, const struct rate_place *place)
{
    uint32_t index = map_add(&rates->keys, place);
    if (index == rates->n)
        (void)vec_push(rates);
    return &rates->at[index];
}

void rates_add(struct rates *rates, const struct rate_place *place, uint64_t rate)
{
    struct rate_place page = page_of(place);
    sum_add(sum_at(rates, place), rate);
    sum_add(sum_at(rates, &page), rate);
    sum_add(&rates->all, rate);
}

/* The mean of a place, leaning on the expectation of the larger one around it. */
static uint64_t lean(const struct rates *rates, const struct rate_place *place, uint64_t around)
{
    uint32_t index = map_find(&rates->keys, place);
    if (index == MAP_NONE)
        return around;
    const struct rate_sum *own = &rates->at[index];
    return (OWN * own->sum + around) / (OWN * own->n + 1);
}

uint64_t rates_expect(const struct rates *rates, const struct rate_place *place, uint64_t unknown)
{
    if (rates->all.n == 0)
        return unknown;
    struct rate_place page = page_of(place);
    uint64_t all = rates->all.sum / rates->all.n;
    return lean(rates, place, lean(rates, &page, all));
}
