/* Where code may be read and copied from: executable mappings that have a file and cannot be
 * written. Everything else ends a walk: bytes that can change under us must not be cached. */
#pragma once

#include "wire/losses.h"

#include <stddef.h>
#include <stdint.h>

enum { REGIONS_MAX = 2048 };

struct region {
    uint64_t start, end; /* avma */
    uint32_t refusal;    /* LOSS_N: may be walked; else why not */
};

struct regions {
    struct region at[REGIONS_MAX]; /* executable mappings, ascending */
    uint32_t n;
    /* Reads the mappings anew; called at most once per look-up that finds nothing. */
    void (*refresh)(struct regions *regions);
};

/* Bytes that can be read at pc for decoding; 0: none, and *ret_refusal says why. */
size_t regions_room(struct regions *regions, uint64_t pc, uint32_t *ret_refusal);
/* The same without a refresh, for looking ahead. */
size_t regions_peek(const struct regions *regions, uint64_t pc);
