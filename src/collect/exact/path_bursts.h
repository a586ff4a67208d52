/* Bursts of passages along paths that processes timed as a whole (walk/count/flow.h), and what a
 * passage along each path takes by them (consumers/burst_fit.h). */
#pragma once

#include "base/map.h"
#include "consumers/burst_fit.h"
#include "wire/plan.h"

struct exact_process;

struct path_bursts {
    struct burst_fit fit;
    struct map keys;     /* struct burst_key, as fit.paths */
    double ticks, alone; /* of all bursts, and of their passages alone */
    uint64_t garbled;
};

void path_bursts_init(struct path_bursts *bursts);
void path_bursts_release(struct path_bursts *bursts);
/* Those of all threads of a process that has ended. */
void path_bursts_read(struct path_bursts *bursts, const struct exact_process *process);
/* Passages of a path, by the `function` of wire_burst_path, that were measured alone. */
void path_bursts_alone(struct path_bursts *bursts, uint32_t function, uint64_t path,
                       const struct wire_measured *alone);
/* When all of that is known. */
void path_bursts_solve(struct path_bursts *bursts);
/* Replaces what is known of a path's passages, alone, by what they take as the program runs. */
void path_bursts_apply(const struct path_bursts *bursts, uint32_t function, uint64_t path,
                       struct wire_measured *measured);
