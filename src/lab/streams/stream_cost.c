#include "lab/streams/stream_cost.h"

#include "compress/design.h"
#include "lab/streams/stream_feed.h"

#include <math.h>

enum {
    RANDOM_ROOM = 4,               /* bits beyond the mean of a random count */
    MISS_BITS = 3,                 /* TAGGED_MISSES_MAX is 7 */
    STATE_BITS = 1,                /* an entry is free or not; waiting is misses above 0 */
    ASSOCIATIVE_BITS = 2 * 64 + 8, /* a tuple and its count */
    PACED = 4 << 20,               /* tuples at most, taken one by one */
};

static uint64_t bits_of(uint64_t most)
{
    return most > 1 ? 64 - (uint64_t)__builtin_clzll(most - 1) : 0;
}

static uint64_t sampler_bits(const struct sampling *sampling)
{
    uint64_t rate = bits_of(sampling->rate);
    switch (sampling->kind) {
    case SAMPLER_PERIODIC: return rate; /* which is the count, too */
    case SAMPLER_COUNTDOWN: return rate + 1 + (sampling->counted ? rate + 1 : 0);
    case SAMPLER_RANDOM: return sampling->counted ? rate + RANDOM_ROOM : 0;
    }
    return 0;
}

uint64_t design_bits(const struct design *design)
{
    uint64_t entry = design->tagged
                         ? bits_of(design->threshold) + MISS_BITS + STATE_BITS + design->tag_bits
                         : sampler_bits(&design->sampling);
    uint64_t entries = (design->tagged ? (uint64_t)design->ways : 1) << design->bits;
    return entries * entry + (uint64_t)design->associative * ASSOCIATIVE_BITS;
}

struct stream_pace stream_pace(const struct tuples *tuples, const struct design *design,
                               double handler)
{
    struct stream_feed *feed = stream_feed_open(tuples, design, 0);
    struct stream_pace pace = {0};
    double work = 0; /* of messages that are there, in tuples' time */
    size_t made;
    uint64_t close = 0;
    while (feed->at < PACED && (made = stream_feed_one(feed)) != STREAM_FED) {
        work = fmax(0, work - 1);
        for (size_t i = 0; i < made; i++) {
            close += work > 0;
            work += handler;
            pace.queue = fmax(pace.queue, ceil(work / handler));
        }
        pace.messages += made;
    }
    pace.apart = pace.messages ? (double)feed->at / (double)pace.messages : (double)NAN;
    pace.close = pace.messages ? (double)close / (double)pace.messages : (double)NAN;
    stream_feed_close(feed);
    return pace;
}
