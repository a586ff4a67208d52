/* How long loads took at each place: the shares near, in the third cache and in memory, the mean
 * with its interval, and the lines that were slow repeatedly.
 *
 * The cost of timing itself is subtracted. Loads that took longer than memory does (a fault, an
 * interrupt) are a share of their own and not part of the mean. The cost of a place is its share
 * of the time of all timed loads, which are a fair sample of all loads. */
#pragma once

#include "base/vec.h"
#include "analysis/counts/estimate.h"
#include "analysis/counts/scene.h"

/* A slow line of a place. */
struct latency_line {
    uint64_t line; /* address in the process */
    uint32_t bin;
    uint64_t count;
};

struct load_place {
    uint32_t module; /* of the scene */
    uint64_t address;
    uint64_t timed;              /* loads */
    uint64_t bins[LATENCY_BINS]; /* of them */
    double ticks;                /* of all but the last bin */
    double near_ticks;           /* of the first bin, */
    double near_squares;         /* and of each of its loads squared */
    struct estimate mean;        /* ticks */
    size_t first, n;             /* of lines */
};

struct latency_view {
    struct scene *scene;
    double tsc_hz;         /* 0: not known, and times are in ticks */
    const char *l3_untold; /* why the third cache has no bin of its own; NULL: it has */
    const char *untold;    /* why near and far are not told apart; NULL: they are */
    uint64_t timed;
    double ticks;
    struct {
        VEC(struct latency_line);
    } lines;                /* of each place: the most frequent first */
    VEC(struct load_place); /* by their cost */
};

/* What is in the bin was in that place. */
static inline bool latency_bin_told(const struct latency_view *view, enum latency_bin bin)
{
    if (view->untold)
        return bin == LATENCY_LONGER;
    return bin != LATENCY_L3 || !view->l3_untold;
}

const char *latency_bin_name(enum latency_bin bin);

void latency_view_make(struct latency_view *view, struct scene *scene);
void latency_view_release(struct latency_view *view);

/* Drops places of functions that the scene does not want; cost stays a share of all. */
void latency_view_narrow(struct latency_view *view);
/* Addresses of lines are values, too. */
void latency_view_forget_lines(struct latency_view *view);
/* The place's mean, in ticks; not a number if no load of it was timed. */
struct estimate latency_view_find(const struct latency_view *view, uint32_t module,
                                  uint64_t address);
