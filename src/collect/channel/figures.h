/* The figures in a channel's header, read with suspicion: the program can write there, too.
 *
 * No count can be higher than the elapsed time allows, and some losses are counted by the tool
 * only. Figures that break this are left out, and counted as garbled. */
#pragma once

#include "wire/channel.h"

#include <stdbool.h>

struct figures {
    uint64_t interrupts;
    uint64_t delivery_ns, handler_ns, translate_ns;
    uint64_t losses[LOSS_N];
    uint64_t refused; /* impossible figures */
};

/* `passed_ns`: CPU time of all CPUs since the recording began. */
void figures_read(const struct channel *channel, uint64_t passed_ns, bool sampled,
                  struct figures *ret);
/* A loss by the program's side. If it is impossible: 0, and `refused` is incremented. */
uint64_t figures_loss(enum loss loss, uint64_t count, uint64_t passed_ns, bool sampled,
                      uint64_t *refused);
/* A count by the program's side. If it is impossible: 0, and `refused` is incremented. `sampled`:
 * as above. */
uint64_t figures_count(uint64_t count, uint64_t passed_ns, bool sampled, uint64_t *refused);
