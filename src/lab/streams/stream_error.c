#include "lab/streams/stream_error.h"

#include "base/memory.h"
#include "lab/streams/stream_feed.h"

#include <math.h>

enum { LEAST = 1000 };
static const double KEPT = 0.1, COVERED = 0.4;

/* How often each tuple, and each place, was there or was told of. */
struct profile_counts {
    uint64_t *tuples, *places;
};

static void counts_begin(struct profile_counts *counts, const struct tuples *tuples)
{
    counts->tuples = mem_alloc((tuples->keys.n + 1) * sizeof *counts->tuples);
    counts->places = mem_alloc((tuples->places.n + 1) * sizeof *counts->places);
}

static void counts_end(struct profile_counts *counts)
{
    mem_free(counts->tuples);
    mem_free(counts->places);
}

static void counts_add(struct profile_counts *counts, const struct tuples *tuples, uint32_t number,
                       uint64_t count)
{
    counts->tuples[number] += count;
    counts->places[tuples->place.at[number]] += count;
}

static bool is_kept(const struct profile_counts *truth, const struct tuples *tuples,
                    uint32_t number)
{
    uint64_t all = truth->places[tuples->place.at[number]];
    return all >= LEAST && (double)truth->tuples[number] >= KEPT * (double)all;
}

/* Of each place: how much its kept tuples have. */
static uint64_t *covered_make(const struct profile_counts *truth, const struct tuples *tuples)
{
    uint64_t *covered = mem_alloc((tuples->places.n + 1) * sizeof *covered);
    for (uint32_t i = 0; i < tuples->keys.n; i++)
        if (is_kept(truth, tuples, i))
            covered[tuples->place.at[i]] += truth->tuples[i];
    return covered;
}

static bool is_covered(const struct profile_counts *truth, const uint64_t *covered, uint32_t place)
{
    return covered[place] && (double)covered[place] >= COVERED * (double)truth->places[place];
}

static double error_of(const struct profile_counts *truth, const struct profile_counts *told,
                       const struct tuples *tuples, uint32_t kinds)
{
    uint64_t *covered = covered_make(truth, tuples);
    double apart = 0, weight = 0;
    for (uint32_t i = 0; i < tuples->keys.n; i++) {
        uint32_t place = tuples->place.at[i];
        const struct tuple *tuple = map_key(&tuples->keys, i);
        if (!(kinds >> tuple_kind(tuple) & 1) || !is_kept(truth, tuples, i) ||
            !is_covered(truth, covered, place))
            continue;
        double n = (double)truth->tuples[i], all = (double)truth->places[place];
        double seen =
            told->places[place] ? (double)told->tuples[i] / (double)told->places[place] : 0;
        apart += n * fabs(n / all - seen);
        weight += n;
    }
    mem_free(covered);
    return apart / weight;
}

static void messages_add(struct profile_counts *told, const struct tuples *tuples,
                         const struct message *messages, size_t n, bool less)
{
    for (size_t i = 0; i < n; i++)
        counts_add(told, tuples, map_find(&tuples->keys, &messages[i].tuple),
                   less ? 0 - messages[i].count : messages[i].count);
}

/* Both profiles after so many tuples. */
static struct stream_trial trial_of(struct stream_feed *feed, const struct profile_counts *truth,
                                    struct profile_counts *told, uint32_t kinds)
{
    /* What counters behind the compressor still hold would be told as well. */
    struct message messages[STREAM_MESSAGES];
    struct associative held = feed->compressor.associative;
    size_t n = associative_flush(&held, messages);
    messages_add(told, feed->tuples, messages, n, false);
    struct stream_trial trial = {error_of(truth, told, feed->tuples, kinds),
                                 feed->compressor.told + n, feed->left_out, 0};
    messages_add(told, feed->tuples, messages, n, true);
    return trial;
}

void stream_trials(const struct tuples *tuples, uint32_t kinds, const struct design *design,
                   uint32_t run, const size_t *ends, size_t n, struct stream_trial *trials)
{
    struct stream_feed *feed = stream_feed_open(tuples, design, run);
    struct profile_counts truth, told;
    counts_begin(&truth, tuples);
    counts_begin(&told, tuples);
    size_t at = feed->at;
    for (size_t i = 0; i < n; i++) {
        size_t made;
        while ((made = stream_feed_step(feed, ends[i])) != STREAM_FED) {
            for (; at < feed->at; at++)
                counts_add(&truth, tuples, tuples->number.at[at], 1);
            messages_add(&told, tuples, feed->messages, made, false);
        }
        trials[i] = trial_of(feed, &truth, &told, kinds);
    }
    counts_end(&truth);
    counts_end(&told);
    stream_feed_close(feed);
}

struct stream_kept stream_kept(const struct tuples *tuples, size_t end)
{
    struct profile_counts truth;
    struct stream_kept kept = {0};
    counts_begin(&truth, tuples);
    for (size_t k = 0; k < end && k < tuples->n; k++)
        counts_add(&truth, tuples, tuples->number.at[k], 1);
    uint64_t *covered = covered_make(&truth, tuples);
    for (uint32_t i = 0; i < tuples->places.n; i++)
        if (is_covered(&truth, covered, i)) {
            kept.executions += truth.places[i];
            kept.places++;
        }
    mem_free(covered);
    counts_end(&truth);
    return kept;
}
