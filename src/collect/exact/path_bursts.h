/* Bursts of passages that processes timed as a whole (walk/count/flow.h), and the time of a passage
 * along each path from them (consumers/burst_fit.h). */
#pragma once

#include "base/map.h"
#include "consumers/burst_fit.h"
#include "wire/plan.h"

struct exact_process;

struct path_bursts {
    struct burst_fit fit;
    struct map keys;     /* struct burst_key, as fit.paths */
    double ticks, alone; /* of all bursts, and of their passages if each was alone */
    uint64_t garbled;
};

void path_bursts_init(struct path_bursts *bursts);
void path_bursts_release(struct path_bursts *bursts);
/* Reads the bursts of all threads of a process that has ended. */
void path_bursts_read(struct path_bursts *bursts, const struct exact_process *process);
/* Passages of a path that were measured alone; `function`: as in wire_burst_path. */
void path_bursts_alone(struct path_bursts *bursts, uint32_t function, uint64_t path,
                       const struct wire_measured *alone);
/* Call when all of that is known. */
void path_bursts_solve(struct path_bursts *bursts);
/* Replaces the times of passages alone by their times as the program runs. */
void path_bursts_apply(const struct path_bursts *bursts, uint32_t function, uint64_t path,
                       struct wire_measured *measured);
