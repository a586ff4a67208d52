/* Executable mappings: where code may be read and copied from. Mappings of a file that cannot be
 * written are assumed to stay as they are until the agent learns otherwise; copies of all others
 * are guarded (emit/guards.h). */
#pragma once

#include "wire/losses.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REGIONS_MAX = 2048, REGIONS_SEQUENCES = 512 };

enum region_kind {
    REGION_LASTING,
    REGION_GUARDED, /* its bytes may change at any time */
    REGION_WRITTEN, /* by the code in it, too: no copy continues past a store */
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
    uint32_t last; /* the one found last: the next is mostly the same */
    bool untold;   /* they may be unmapped unnoticed: probed before each read */
    struct sequence_range sequences[REGIONS_SEQUENCES];
    uint32_t n_sequences;
    bool calls;        /* superblocks contain system calls; in whole runs they always do */
    bool transactions; /* whole runs: the CPU has xbegin; each transaction is aborted at once */
    const struct plan
        *plan; /* NULL, or: no superblock holds both code that the plan covers and other code */
    /* Reads the mappings again; called at most once per look-up that fails. */
    void (*refresh)(struct regions *regions);
};

/* True if the instruction from pc to next is in a restartable sequence, or directly before it and
 * announces it to the kernel. */
bool regions_restarts(const struct regions *regions, uint64_t pc, uint64_t next);

/* Bytes that can be read at pc for decoding, and their kind; 0: none, *ret_refusal says why. */
size_t regions_room(struct regions *regions, uint64_t pc, enum region_kind *ret_kind,
                    uint32_t *ret_refusal);
/* The same without a refresh, for looking ahead; 0 for code that may change. */
size_t regions_peek(const struct regions *regions, uint64_t pc);
/* Whether there was code at pc when the mappings were last read. */
bool regions_hold(const struct regions *regions, uint64_t pc);
