#include "lab/streams/stream_feed.h"

#include "base/memory.h"

enum {
    APART = 1009,    /* tuples between the beginnings of two runs: no period divides it */
    SHORT = 64,      /* but no more than this part of a short stream */
    WINDOW = 8192,   /* loads of a window of 32,000 instructions */
    LOOKS_EVERY = 16 /* windows, as in the agent: all of such a one goes through */
};

struct stream_feed *stream_feed_open(const struct tuples *tuples, const struct design *design,
                                     uint32_t run)
{
    struct stream_feed *feed = mem_alloc(sizeof *feed);
    size_t apart = tuples->n / SHORT < APART ? tuples->n / SHORT : APART;
    feed->tuples = tuples;
    feed->from = run * apart < tuples->n ? run * apart : 0;
    feed->at = feed->from;
    compressor_init(&feed->compressor, design, run + 1);
    return feed;
}

void stream_feed_close(struct stream_feed *feed)
{
    mem_free(feed);
}

/* Those of n tuples that go to the compressor: values of places that have converged do not. */
static size_t wanted(struct stream_feed *feed, const struct tuple *tuples, size_t n,
                     struct tuple *some)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        size_t window = (feed->at - feed->from + i) / WINDOW;
        if (window % LOOKS_EVERY && tuple_kind(&tuples[i]) == TUPLE_VALUE &&
            habits_converged(&feed->habits, tuples[i].place))
            feed->left_out++;
        else
            some[kept++] = tuples[i];
    }
    return kept;
}

static size_t take(struct stream_feed *feed, size_t n)
{
    const struct tuple *tuples = &feed->tuples->at[feed->at];
    struct tuple some[STREAM_CHUNK];
    bool converge = feed->compressor.design.converge;
    size_t kept = converge ? wanted(feed, tuples, n, some) : n;
    size_t made =
        compressor_take(&feed->compressor, converge ? some : tuples, kept, feed->messages);
    if (converge)
        habits_follow(&feed->habits, feed->messages, made);
    feed->at += n;
    return made;
}

size_t stream_feed_step(struct stream_feed *feed, size_t end)
{
    size_t last = feed->from + end < feed->tuples->n ? feed->from + end : feed->tuples->n;
    size_t left = last > feed->at ? last - feed->at : 0;
    return left ? take(feed, left < STREAM_CHUNK ? left : STREAM_CHUNK) : STREAM_FED;
}

size_t stream_feed_one(struct stream_feed *feed)
{
    return stream_feed_step(feed, feed->at - feed->from + 1);
}
