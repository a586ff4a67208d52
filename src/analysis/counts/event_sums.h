/* What other events than the sampled one say of each place: cycles, and cycles of stalls.
 *
 * Stalls are events that make the core wait for long, each times how long it waits (the facts
 * "stall" of a modelled run: an event's name and its cycles). */
#pragma once

#include "analysis/counts/scene.h"

struct event_sum {
    double cycles, stalls;
};

struct event_sums {
    struct map places; /* struct event_place: index i owns at[i] */
    VEC(struct event_sum);
    bool has_cycles, has_stalls; /* any samples of these */
};

/* Of one side's samples, with the scene's modules. */
void event_sums_open(struct event_sums *sums, const struct scene *scene, uint32_t side);
void event_sums_close(struct event_sums *sums);
/* Zero if nothing was sampled there. */
struct event_sum event_sums_at(const struct event_sums *sums, uint32_t module, struct svma at);

/* Whether a profile has samples of cycles and of stalls beside its own. */
bool event_sums_known(const struct profile *profile);
