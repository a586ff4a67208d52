/* ProfileMe: hardware that follows single instructions, or two that are in flight together, through
 * the core.
 *
 * A counter counts down what is fetched on the predicted way, that which turns out to be wrong
 * included; whoever is fetched when it comes to zero gets a tag, and with it a set of profile
 * registers, until it has retired or was thrown away. Then the counter has a new random value
 * already: uniform between half the interval and one and a half of it. If all tags are taken the
 * selection is lost, and counted (`collided`).
 *
 * In pairs the first is chosen like that; the second is the one fetched 1 to `window` instructions
 * later, each as likely. Both keep their tags until both are done; what was fetched between them,
 * in cycles, is SAMPLE_APART. If both retire, SAMPLE_STEPS tells how far apart they are in the
 * program's course, without what was thrown away.
 *
 * Groups of more than two go on like that: each is fetched 1 to `window` instructions after the one
 * before it, and all keep their tags until all are done. SAMPLE_DISTANCE, SAMPLE_APART and
 * SAMPLE_STEPS are from the first on.
 *
 * The counter may count opportunities to fetch instead, so many a cycle: simpler in hardware, but
 * the chosen one may be empty, or hold what is not on the predicted way. An instruction is one
 * opportunity, however many operations it has; those that a taken branch leaves unused in its cycle
 * are off the way. (What lies in a line before the place that was jumped to would be, too, but
 * fetch as modelled has no lines of instructions that are aligned.)
 *
 * Each record, or pair, stands for `interval` fetched instructions: k of them with a property
 * estimate that k * interval have it. Records wait in a buffer and are delivered `buffer` samples
 * at a time, a pair being one. */
#pragma once

#include "model/pmu/step.h"
#include "records/sample.h"
#include "compress/random.h"

#include <stddef.h>

/* As many as hardware could have; and as many as never run out, for who wants to know what was, not
 * what hardware would tell: a unit whose tags are taken by instructions that take long misses those
 * that come meanwhile. */
enum { PROFILEME_TAGS = 16, PROFILEME_TAGS_MOST = 1024, PROFILEME_GROUP_MOST = 8 };

struct profileme_setup {
    uint64_t interval;      /* the mean; at least 2 */
    uint32_t window;        /* 0: no pairs */
    uint32_t group;         /* instructions that are followed together, in pairs' place; 0: two */
    uint32_t tags;          /* 1 .. PROFILEME_TAGS_MOST; each of a group takes one */
    uint32_t buffer;        /* samples an interrupt; at least 1 */
    uint32_t opportunities; /* a cycle; 0: instructions are counted */
    uint32_t history_bits;  /* of the profiled path register, up to 64 */
    uint64_t context;       /* of the profiled context register: the thread */
    uint64_t seed;
};

struct profileme_counts {
    uint64_t fetched;    /* instructions */
    uint64_t chosen;     /* times that the counter came to zero */
    uint64_t empty;      /* of those, opportunities that held nothing, */
    uint64_t off_path;   /* or what was not on the predicted way; */
    uint64_t collided;   /* instructions for which there was no tag, */
    uint64_t cut;        /* or whose pair had no end; */
    uint64_t delivered;  /* samples: the rest */
    uint64_t interrupts; /* deliveries */
};

struct model;
struct profileme;

/* How far apart two can be and still be in flight together, whatever the program. */
uint32_t profileme_window(const struct model *model);

/* deliver: gets so many records in the order of fetch of their first; as many in a row as
 * are followed together. */
struct profileme *profileme_make(const struct profileme_setup *setup,
                                 void (*deliver)(void *context, const struct sample *samples,
                                                 size_t n),
                                 void *context);
void profileme_free(struct profileme *unit);

void profileme_see(struct profileme *unit, const struct pmu_step *step);
/* What comes next did not follow what came before: pairs have no second there. */
void profileme_gap(struct profileme *unit);
/* The end: what waits is delivered. */
void profileme_finish(struct profileme *unit);
const struct profileme_counts *profileme_counts(const struct profileme *unit);
