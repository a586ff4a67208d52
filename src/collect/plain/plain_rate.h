/* How often a plain recording may sample for a share of CPU time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;

struct plain_rate {
    uint32_t hz;        /* samples per CPU second */
    uint64_t sample_ns; /* what the kernel takes for one, as measured now */
    char refused[256];  /* what the kernel does not grant; "": nothing */
};

/* False: the kernel grants no samples, or none of all CPUs if these are asked for. */
bool plain_rate_find(struct plain_rate *rate, bool all_cpus, uint32_t overhead_ppm,
                     struct err *err);
