/* Samplers: which tuples of a stream are taken, one in `rate` on average. A sampler counts down to
 * the next that it takes; kinds differ only in how far. A coin toss for each tuple (the paper's R)
 * is the same as skipping a geometric number of them, and costs nothing meanwhile. */
#pragma once

#include "compress/random.h"

#include <stdbool.h>

enum sampler_kind {
    SAMPLER_PERIODIC,  /* P: every rate-th */
    SAMPLER_RANDOM,    /* R: each with probability 1/rate */
    SAMPLER_COUNTDOWN, /* D: after 1 .. 2 rate - 1 of them, evenly */
};

struct sampling {
    enum sampler_kind kind;
    bool counted; /* C: a message has the number passed since the last, not the rate */
    uint32_t rate;
    uint64_t failure; /* random_failure(1, rate) */
};

/* Of one stream. */
struct sampler {
    uint32_t left;   /* tuples to the next that is taken, which is the last of them */
    uint32_t passed; /* since the last */
};

static inline uint32_t sampling_draw(const struct sampling *sampling, struct random *random)
{
    switch (sampling->kind) {
    case SAMPLER_PERIODIC: break;
    case SAMPLER_COUNTDOWN:
        return 1 + (uint32_t)random_below(random, 2 * (uint64_t)sampling->rate - 1);
    case SAMPLER_RANDOM: {
        uint64_t failures = random_geometric(random, sampling->failure);
        return failures < UINT32_MAX - 1 ? (uint32_t)failures + 1 : UINT32_MAX;
    }
    }
    return sampling->rate;
}

/* `phase`: a periodic one begins anywhere in its period, so that short streams are not missed. */
static inline void sampler_init(struct sampler *sampler, const struct sampling *sampling,
                                bool phase, struct random *random)
{
    *sampler = (struct sampler){.left = sampling_draw(sampling, random)};
    if (phase && sampling->kind == SAMPLER_PERIODIC)
        sampler->left = 1 + (uint32_t)random_below(random, sampling->rate);
}

/* One more tuple: what it stands for if it is taken, else 0. */
static inline uint64_t sampler_step(struct sampler *sampler, const struct sampling *sampling,
                                    struct random *random)
{
    sampler->passed++;
    if (--sampler->left)
        return 0;
    uint64_t count = sampling->counted ? sampler->passed : sampling->rate;
    *sampler = (struct sampler){.left = sampling_draw(sampling, random)};
    return count;
}
