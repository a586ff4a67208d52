/* How many iterations the runs of a loop have, from what windows saw.
 *
 * A window seldom sees a long run whole, so counting whole runs alone would make loops look short.
 * All runs whose beginning was seen count, because where windows begin has nothing to do with the
 * loop. Runs that the end of the window cut are distributed by Kaplan and Meier's estimate: of the
 * runs that were seen to reach the end of iteration n, so many ended there. Runs longer than any
 * that was seen to end have an unknown length. Runs that began before the window only show that
 * they exist. */
#pragma once

#include "analysis/counts/estimate.h"
#include "analysis/counts/scene.h"

/* All runs of `from` to `to` iterations. */
struct trip_bar {
    uint64_t from, to;
    double n; /* mean of the whole runs among them */
    struct estimate count;
};

struct trip_bars {
    VEC(struct trip_bar); /* by n */
    double longer;        /* runs of which nothing is known but that they have longer_n or more */
    uint64_t longer_n;    /* the longest that was cut */
    double runs;          /* that were seen to begin, themselves and not what they stand for */
    double cut; /* share of all runs that no window has whole; not a number: no run was seen */
};

/* Those of the loop whose backward jumps lead to `head`. False: this side saw no run of it. */
bool trip_bars_make(struct trip_bars *bars, const struct scene *scene, uint32_t side,
                    uint32_t module, uint64_t head);
void trip_bars_release(struct trip_bars *bars);

/* Iterations of a run on the average. Not a number where most runs were cut, or some have no known
 * length: then the loop's counts tell it better. */
struct estimate trip_bars_mean(const struct trip_bars *bars);

/* The standard deviation of a run's iterations; not a number where trip_bars_mean is none. */
double trip_bars_sd(const struct trip_bars *bars);

/* Iterations that runs of the loop had while they were seen, by weight; 0: no run was seen. */
uint64_t trips_seen(const struct scene *scene, uint32_t side, uint32_t module, uint64_t head);

/* "3 ▄ 50%, 9 ▄ 50%", or of many different ones how they are spread: "1-40 ▁▁▂▄█". */
const char *trip_bars_text(const struct trip_bars *bars, struct arena *arena);
