#include "collect/windows/rates.h"

#include "wire/plain.h"

/* How many timings of a place's own weigh as much as what is known of the larger place around it:
 * between these, and the first before places have been timed twice often enough to tell. */
static const double LEAN_LEAST = 0.5, LEAN_MOST = 64;
enum { SCATTER_LEAST = 8 };

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

/* What one more value adds to the squared deviations from the mean. */
static double deviation_square(const struct rate_sum *sum, uint64_t rate)
{
    double n = (double)sum->n, from = n > 0 ? (double)rate - (double)sum->sum / n : 0;
    return from * from * n / (n + 1);
}

void rates_add(struct rates *rates, const struct rate_place *place, uint64_t rate)
{
    struct rate_place page = page_of(place);
    struct rate_sum *own = sum_at(rates, place);
    rates->scatter.all += deviation_square(&rates->all, rate);
    rates->scatter.inside += deviation_square(own, rate);
    rates->scatter.inside_n += own->n > 0;
    sum_add(own, rate);
    sum_add(sum_at(rates, &page), rate);
    sum_add(&rates->all, rate);
}

void rates_meet(struct rates *rates, uint64_t exits)
{
    sum_add(&rates->variety, exits);
}

static double rates_belief(const struct rates *rates)
{
    const struct rate_sum *variety = &rates->variety;
    double exits = variety->n ? (double)variety->sum / (double)variety->n : 0;
    return PLAIN_VARIETY_HALF / (PLAIN_VARIETY_HALF + exits);
}

static double rates_lean(const struct rates *rates)
{
    const struct rate_scatter *scatter = &rates->scatter;
    if (scatter->inside_n < SCATTER_LEAST)
        return LEAN_LEAST;
    double inside = scatter->inside / (double)scatter->inside_n;
    double between = scatter->all / (double)(rates->all.n - 1) - inside;
    double lean = between > 0 ? inside / between : LEAN_MOST;
    return lean < LEAN_LEAST ? LEAN_LEAST : lean > LEAN_MOST ? LEAN_MOST : lean;
}

/* The mean of a place, leaning on the expectation of the larger one around it. */
static double lean_on(const struct rates *rates, const struct rate_place *place, double around)
{
    uint32_t index = map_find(&rates->keys, place);
    if (index == MAP_NONE)
        return around;
    const struct rate_sum *own = &rates->at[index];
    double lean = rates_lean(rates);
    return ((double)own->sum + lean * around) / ((double)own->n + lean);
}

uint64_t rates_expect(const struct rates *rates, const struct rate_place *place, uint64_t unknown)
{
    if (rates->all.n == 0)
        return unknown;
    struct rate_place page = page_of(place);
    double all = (double)rates->all.sum / (double)rates->all.n;
    double own = lean_on(rates, place, lean_on(rates, &page, all));
    uint64_t rate = (uint64_t)(all + rates_belief(rates) * (own - all));
    return rate ? rate : 1;
}
