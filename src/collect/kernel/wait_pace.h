/* How often stacks of waits are taken: always, as long as that is cheap, else for short times now
 * and then, so that their cost is a given share of CPU time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct wait_pace {
    uint64_t share_ppm; /* of CPU time */
    bool on;
    uint64_t since_ns; /* of on or off */
    uint64_t spent_ns; /* when it was last turned on */
    uint64_t slice_ns; /* how long it is on at a time; UINT64_MAX: until it is too much */
    uint64_t due_ns;   /* when it is to be looked at; UINT64_MAX: whenever records are read */
    uint64_t random;   /* state */
    uint64_t on_ns;    /* so far, without the current time */
    bool sliced;       /* it was turned off at least once */
};

void wait_pace_start(struct wait_pace *pace, uint64_t share_ppm, uint64_t now_ns);

/* What stacks have cost the program and the tool. */
uint64_t wait_cost_ns(uint64_t taken, uint64_t missed);

/* Decides anew: pace->on. cpu_ns and elapsed_ns: since recording began. */
void wait_pace_update(struct wait_pace *pace, uint64_t now_ns, uint64_t spent_ns, uint64_t cpu_ns,
                      uint64_t elapsed_ns);
