#include "compress/hotlist_kinds.h"

/* Each instance in the sample leaves it with such a probability that what stays is a sample by the
 * new threshold. */
static void thin(struct hotlist *list, uint64_t threshold, struct random *random)
{
    for (uint32_t i = 0; i < list->n; i++)
        list->counts[i] -=
            hotlist_binomial(list->counts[i], threshold - list->threshold, threshold, random);
    hotlist_close_ranks(list);
    hotlist_threshold(list, threshold, random);
}

static void add(struct hotlist *list, uint64_t value, uint64_t count, struct random *random)
{
    uint32_t i = hotlist_find(list, value);
    if (i == list->n) {
        list->values[i] = value;
        list->counts[i] = 0;
        list->n++;
    }
    list->counts[i] += count;
    hotlist_forward(list, i);
    while (list->n > list->most)
        thin(list, hotlist_raised(list), random);
}

static void insert(struct hotlist *list, uint64_t value, struct random *random)
{
    list->total++;
    if (list->skip) {
        list->skip--;
        return;
    }
    list->skip = list->threshold > HOTLIST_ONE ? random_geometric(random, list->failure) : 0;
    add(list, value, 1, random);
}

static void estimate(const struct hotlist *list, uint32_t i, struct hotlist_estimate *estimate)
{
    uint64_t count = list->counts[i];
    estimate->count = hotlist_scaled(count, list->threshold);
    /* A count of k has a variance of k (1 - 1/threshold). */
    uint64_t share = random_quotient(list->threshold - HOTLIST_ONE, list->threshold);
    uint64_t variance = u128_product(count, share, 56 - 16); /* in 2^-16 */
    uint64_t wide = hotlist_scaled(hotlist_root(variance) * 196 / 100, list->threshold) >> 8;
    /* So many were there, in any case. */
    estimate->lo = estimate->count > wide + count ? estimate->count - wide : count;
    estimate->hi = estimate->count + wide;
    estimate->certain = list->threshold == HOTLIST_ONE;
}

const struct hotlist_way hotlist_concise = {insert, estimate};
