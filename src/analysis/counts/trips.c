#include "analysis/counts/trips.h"

#include <inttypes.h>
#include <math.h>

/* ---- what was seen */

static size_t trips_find(const struct scene_trips *trips, uint32_t side, uint32_t module,
                         uint64_t head)
{
    size_t low = 0, high = trips->n;
    struct scene_trip wanted = {.side = side, .module = module, .head = head};
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (scene_trip_order(&trips->at[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool trip_is(const struct scene_trips *trips, size_t i, uint32_t side, uint32_t module,
                    uint64_t head)
{
    return i < trips->n && trips->at[i].side == side && trips->at[i].module == module &&
           trips->at[i].head == head;
}

uint64_t trips_seen(const struct scene *scene, uint32_t side, uint32_t module, uint64_t head)
{
    const struct scene_trips *trips = &scene->trips;
    uint64_t sum = 0;
    for (size_t i = trips_find(trips, side, module, head); trip_is(trips, i, side, module, head);
         i++)
        sum += scene->sides[side]->trips.at[trips->at[i].record].time;
    return sum;
}

/* ---- how long runs are */

/* Runs that were seen to begin, by iterations. */
struct bin {
    uint64_t n;
    double open, ended; /* cut in the n-th iteration; ended behind it */
    const struct sums *whole;
    double share; /* of all runs that begin */
};

struct bins {
    VEC(struct bin);
    double begun, cut, all;
};

static void bins_add(struct bins *bins, const struct trip_key *key, const struct sums *sums)
{
    double count = (double)sums->count;
    bins->all += count;
    bins->cut += key->how == TRIP_WHOLE ? 0 : count;
    if (key->how != TRIP_WHOLE && key->how != TRIP_OPEN)
        return;
    bins->begun += count;
    if (!bins->n || bins->at[bins->n - 1].n != key->n)
        *vec_push(bins) = (struct bin){.n = key->n};
    struct bin *bin = &bins->at[bins->n - 1];
    if (key->how == TRIP_OPEN) {
        bin->open += count;
    } else {
        bin->ended += count;
        bin->whole = sums;
    }
}

/* A run that is cut in an iteration was not seen to end with it, nor to go on. What is left: the
 * share of runs that were not seen to end. */
static double bins_share_out(struct bins *bins)
{
    double left = 1, at_risk = bins->begun;
    for (size_t i = 0; i < bins->n; i++) {
        struct bin *bin = &bins->at[i];
        at_risk -= bin->open;
        bin->share = bin->ended > 0 ? left * fmin(bin->ended / at_risk, 1) : 0;
        at_risk -= bin->ended;
        left -= bin->share;
    }
    return bins->n && left > 1e-9 ? left : 0;
}

static struct trip_bar bar_of(const struct profile *profile, const struct bin *bin, double begun)
{
    struct quantity quantity = quantity_of(profile, bin->whole);
    struct estimate count = estimate_count(profile, &quantity);
    double more = bin->share * begun / bin->ended;
    return (struct trip_bar){.from = bin->n,
                             .to = trip_bin_last(bin->n),
                             .n = (double)bin->whole->time / (double)bin->whole->count,
                             .count = {count.value * more, count.lo * more, count.hi * more}};
}

bool trip_bars_make(struct trip_bars *bars, const struct scene *scene, uint32_t side,
                    uint32_t module, uint64_t head)
{
    const struct profile *profile = scene->sides[side];
    const struct scene_trips *trips = &scene->trips;
    struct bins bins = {0};
    for (size_t i = trips_find(trips, side, module, head); trip_is(trips, i, side, module, head);
         i++)
        bins_add(&bins, map_key(&profile->trips.keys, trips->at[i].record),
                 &profile->trips.at[trips->at[i].record]);
    double left = bins_share_out(&bins), all = bins.all;
    *bars = (struct trip_bars){.cut = all > 0 ? bins.cut / all : (double)NAN};
    for (size_t i = 0; i < bins.n; i++) {
        if (bins.at[i].ended > 0)
            *vec_push(bars) = bar_of(profile, &bins.at[i], bins.begun);
        if (bins.at[i].open > 0)
            bars->longer_n = bins.at[i].n;
    }
    struct quantity begun = {.count = (uint64_t)(left * bins.begun)};
    bars->longer = estimate_count(profile, &begun).value;
    if (profile->mode == PROFILE_SAMPLED && profile->totals.count)
        bars->runs = bins.begun / TRIPS_EVERY / (double)profile->totals.count *
                     (double)profile->totals.instructions;
    vec_release(&bins);
    return all > 0;
}

void trip_bars_release(struct trip_bars *bars)
{
    vec_release(bars);
}

static double bars_mean(const struct trip_bars *bars)
{
    double sum = 0, total = 0;
    for (size_t i = 0; i < bars->n; i++) {
        sum += bars->at[i].n * bars->at[i].count.value;
        total += bars->at[i].count.value;
    }
    return total > 0 && !(bars->longer > 0) && !(bars->cut > 0.5) ? sum / total : (double)NAN;
}

double trip_bars_sd(const struct trip_bars *bars)
{
    double mean = bars_mean(bars), squares = 0, total = 0;
    for (size_t i = 0; i < bars->n; i++) {
        squares += bars->at[i].count.value * (bars->at[i].n - mean) * (bars->at[i].n - mean);
        total += bars->at[i].count.value;
    }
    return sqrt(squares / total);
}

/* By the spread of runs, of which ten count as one: those of a window may well go together. And of
 * R runs that were seen, 3 / R of all may be such as were not: of those it is assumed that they
 * differ by the mean itself. What is wrong with the weight of all of them does not matter here. */
struct estimate trip_bars_mean(const struct trip_bars *bars)
{
    enum { TOGETHER = 10 };
    double mean = bars_mean(bars), half = 0;
    if (bars->runs > 0)
        half = 2 * trip_bars_sd(bars) / sqrt(fmax(bars->runs / TOGETHER, 1)) +
               mean * fmin(3 / bars->runs, 1);
    return (struct estimate){mean, fmax(mean - half, 1), mean + half};
}

/* ---- text */

static const char *level_of(double share)
{
    static const char *const levels[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    int level = (int)(share * 8);
    return levels[level > 7 ? 7 : level];
}

static double bars_total(const struct trip_bars *bars)
{
    double total = bars->longer;
    for (size_t i = 0; i < bars->n; i++)
        total += bars->at[i].count.value;
    return total;
}

/* One after the other. */
static const char *few_text(const struct trip_bars *bars, double total, struct arena *arena)
{
    const char *text = "";
    for (size_t i = 0; i < bars->n; i++) {
        double share = bars->at[i].count.value / total;
        text = arena_format(arena, "%s%s%.0f %s %.0f%%", text, i ? ", " : "", bars->at[i].n,
                            level_of(share), 100 * share);
    }
    return text;
}

/* By powers of two: each level is the part of the largest. */
static const char *many_text(const struct trip_bars *bars, struct arena *arena)
{
    double octaves[64] = {0}, most = 0;
    int first = 63 - __builtin_clzll(bars->at[0].from), last = first;
    for (size_t i = 0; i < bars->n; i++) {
        last = 63 - __builtin_clzll(bars->at[i].from);
        octaves[last] += bars->at[i].count.value;
        most = fmax(most, octaves[last]);
    }
    const char *text =
        arena_format(arena, "%" PRIu64 "-%" PRIu64 " ", bars->at[0].from, bars->at[bars->n - 1].to);
    for (int i = first; i <= last; i++)
        text =
            arena_format(arena, "%s%s", text, octaves[i] > 0 ? level_of(octaves[i] / most) : " ");
    return text;
}

const char *trip_bars_text(const struct trip_bars *bars, struct arena *arena)
{
    enum { FEW = 3 };
    double total = bars_total(bars);
    const char *text = "";
    if (!(total > 0))
        return text;
    if (bars->n)
        text = bars->n <= FEW ? few_text(bars, total, arena) : many_text(bars, arena);
    double longer = 100 * bars->longer / total;
    if (longer >= 0.5)
        text = arena_format(arena, "%s%s%" PRIu64 "+ %s %.0f%%", text, bars->n ? ", " : "",
                            bars->longer_n, level_of(longer / 100), longer);
    return text;
}
