#include "compress/hotlist.h"

#include "compress/hotlist_kinds.h"

/* Above so many, what a binomial differs from a normal distribution by is nothing to what samples
 * differ by. */
enum { BINOMIAL_EXACT = 4096 };

static const struct hotlist_way *way(const struct hotlist *list)
{
    switch ((enum hotlist_kind)list->kind) {
    case HOTLIST_CONCISE: return &hotlist_concise;
    case HOTLIST_COUNTING: return &hotlist_counting;
    case HOTLIST_SPACE_SAVING:
    case HOTLIST_KINDS: break;
    }
    return &hotlist_space_saving;
}

void hotlist_init(struct hotlist *list, enum hotlist_kind kind)
{
    *list = (struct hotlist){
        .kind = kind, .threshold = HOTLIST_ONE, .failure = UINT64_MAX, .most = HOTLIST_VALUES};
}

const char *hotlist_kind_name(enum hotlist_kind kind)
{
    static const char *const names[HOTLIST_KINDS] = {"concise", "counting", "space-saving"};
    return names[kind];
}

uint32_t hotlist_entry_bytes(enum hotlist_kind kind)
{
    return (kind == HOTLIST_SPACE_SAVING ? 3 : 2) * sizeof(uint64_t);
}

uint64_t hotlist_unsure(const struct hotlist *list)
{
    uint64_t most = 0;
    if (list->kind != HOTLIST_SPACE_SAVING)
        return list->threshold >> (32 - HOTLIST_BITS);
    for (uint32_t i = 0; i < list->n; i++)
        most = list->errors[i] > most ? list->errors[i] : most;
    return most << HOTLIST_BITS;
}

void hotlist_insert(struct hotlist *list, uint64_t value, struct random *random)
{
    way(list)->insert(list, value, random);
}

static bool before(const struct hotlist_estimate *a, const struct hotlist_estimate *b)
{
    return a->count != b->count ? a->count > b->count : a->value < b->value;
}

size_t hotlist_estimates(const struct hotlist *list, struct hotlist_estimate *estimates)
{
    for (uint32_t i = 0; i < list->n; i++) {
        struct hotlist_estimate estimate = {.value = list->values[i]};
        way(list)->estimate(list, i, &estimate);
        uint32_t at = i;
        for (; at && before(&estimate, &estimates[at - 1]); at--)
            estimates[at] = estimates[at - 1];
        estimates[at] = estimate;
    }
    return list->n;
}

/* ---- what kinds share */

void hotlist_close_ranks(struct hotlist *list)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->n; i++)
        if (list->counts[i]) {
            list->values[kept] = list->values[i];
            list->counts[kept++] = list->counts[i];
        }
    list->n = kept;
}

uint64_t hotlist_root(uint64_t square)
{
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
        if ((root + bit) * (root + bit) <= square)
            root += bit;
    return root;
}

/* The sum of twelve even ones, less six: near enough to normal, in 2^-32. */
static int64_t normal(struct random *random)
{
    int64_t sum = -6 * (int64_t)HOTLIST_ONE;
    for (int i = 0; i < 12; i++)
        sum += (int64_t)(random_next(random) >> 32);
    return sum;
}

uint64_t hotlist_binomial(uint64_t n, uint64_t numerator, uint64_t denominator,
                          struct random *random)
{
    uint64_t failure = random_failure(numerator, denominator);
    if (n <= BINOMIAL_EXACT) {
        uint64_t hits = 0, at = random_geometric(random, failure);
        for (; at < n; at += 1 + random_geometric(random, failure))
            hits++;
        return hits;
    }
    uint64_t p = random_quotient(numerator, denominator);
    uint64_t mean = u128_product(n, p, 56);
    uint64_t variance = mean - u128_product(mean, p, 56);
    int64_t far = normal(random);
    uint64_t off = u128_product(hotlist_root(variance), (uint64_t)(far < 0 ? -far : far), 32);
    if (far < 0)
        return mean > off ? mean - off : 0;
    return mean + off < n ? mean + off : n;
}

/* What has been passed over so far is forgotten: coins have no memory. */
void hotlist_threshold(struct hotlist *list, uint64_t threshold, struct random *random)
{
    list->threshold = threshold;
    list->failure = random_failure(HOTLIST_ONE, threshold);
    list->skip = random_geometric(random, list->failure);
}
