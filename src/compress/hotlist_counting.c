#include "compress/hotlist_kinds.h"

/* As if the threshold had been the new one all along: who came in by a coin stays by one more, or
 * else comes in with a later one of his occurrences. */
static void raise(struct hotlist *list, uint64_t threshold, struct random *random)
{
    uint64_t failure = random_failure(HOTLIST_ONE, threshold);
    for (uint32_t i = 0; i < list->n; i++)
        if (hotlist_binomial(1, threshold - list->threshold, threshold, random)) {
            uint64_t missed = 1 + random_geometric(random, failure);
            list->counts[i] -= missed < list->counts[i] ? missed : list->counts[i];
        }
    hotlist_close_ranks(list);
    hotlist_threshold(list, threshold, random);
}

static void come_in(struct hotlist *list, uint64_t value, uint64_t count, struct random *random)
{
    list->values[list->n] = value;
    list->counts[list->n++] = count;
    while (list->n > list->most)
        raise(list, hotlist_raised(list), random);
}

static void insert(struct hotlist *list, uint64_t value, struct random *random)
{
    list->total++;
    uint32_t i = hotlist_find(list, value);
    if (i < list->n) {
        list->counts[i]++;
        hotlist_forward(list, i);
    } else if (list->skip) {
        list->skip--;
    } else {
        list->skip = list->threshold > HOTLIST_ONE ? random_geometric(random, list->failure) : 0;
        come_in(list, value, 1, random);
    }
}

/* What a value in the list occurred before it came in, on the average: (e - 2)/(e - 1) of the
 * threshold, less the one that brought it in. */
static uint64_t before_it(const struct hotlist *list)
{
    uint64_t missed = hotlist_scaled(418, list->threshold) / 1000;
    return missed ? missed - 1 : 0;
}

static void estimate(const struct hotlist *list, uint32_t i, struct hotlist_estimate *estimate)
{
    estimate->lo = list->counts[i];
    estimate->count = list->counts[i] + before_it(list);
    estimate->certain = list->threshold == HOTLIST_ONE;
    /* That more than three thresholds of a value pass before one of them is taken happens one time
     * in twenty. */
    estimate->hi =
        estimate->certain ? estimate->count : list->counts[i] + hotlist_scaled(3, list->threshold);
}

const struct hotlist_way hotlist_counting = {insert, estimate};
