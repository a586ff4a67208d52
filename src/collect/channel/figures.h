/* The counters of a channel, read with suspicion: the program can write there, too.
 *
 * No count can be higher than what fits into the time that has passed, and some losses only the
 * tool counts. What breaks that is left out, and counted as garbled. */
#pragma once

#include "wire/channel.h"

#include <stdbool.h>

struct figures {
    uint64_t interrupts;
    uint64_t delivery_ns, handler_ns, translate_ns;
    uint64_t losses[LOSS_N];
    uint64_t refused; /* figures that cannot be */
};

/* `passed_ns`: CPU time that can have been used since the recording began, on all CPUs. */
void figures_read(const struct channel *channel, uint64_t passed_ns, bool sampled,
                  struct figures *ret);
/* A number that the program's side counts, events of a sampled recording or not; 0, and one more in
 * `refused`, if it cannot be. */
uint64_t figures_count(uint64_t count, uint64_t passed_ns, bool sampled, uint64_t *refused);
