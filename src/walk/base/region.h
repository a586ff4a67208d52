/* Where code may be read and copied from: executable mappings. Those of a file that cannot be
 * written are taken to stay as they are, until we are told; copies of all others are guarded
 * (guards.h). */
#pragma once

#include "wire/losses.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REGIONS_MAX = 2048, REGIONS_SEQUENCES = 512 };

enum region_kind {
    REGION_LASTING,
    REGION_GUARDED, /* its bytes may change from one moment to the next */
    REGION_WRITTEN, /* by the very code that is there, too: no copy goes on past a store */
};

struct region {
    uint64_t start, end; /* avma */
    uint32_t refusal;    /* LOSS_N: may be walked; else why not */
    enum region_kind kind;
};

/* A restartable sequence: the kernel knows it by its addresses. */
struct sequence_range {
    uint64_t start, end; /* avma */
};

struct plan;

struct regions {
    struct region at[REGIONS_MAX]; /* executable mappings, ascending */
    uint32_t n;
    bool untold; /* they may be gone, and nobody tells: looked at before they are read */
    struct sequence_range sequences[REGIONS_SEQUENCES];
    uint32_t n_sequences;
    bool transactions; /* whole runs: the processor has xbegin, and each transaction is aborted at
                          once */
    const struct plan
        *plan; /* what is counted by it, and what is not, is not in one superblock; or NULL */
    /* Reads the mappings anew; called at most once per look-up that finds nothing. */
    void (*refresh)(struct regions *regions);
};

/* Whether an instruction from pc to next is part of a restartable sequence, or the one before it,
 * which tells the kernel that it begins. */
bool regions_restarts(const struct regions *regions, uint64_t pc, uint64_t next);

/* Bytes that can be read at pc for decoding, and of which kind; 0: none, and *ret_refusal says why.
 */
size_t regions_room(struct regions *regions, uint64_t pc, enum region_kind *ret_kind,
                    uint32_t *ret_refusal);
/* The same without a refresh, for looking ahead: there are none of what may change. */
size_t regions_peek(const struct regions *regions, uint64_t pc);
