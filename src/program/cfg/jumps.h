/* The indirect jumps of a function: where each goes, or why that is not known.
 * program/cfg/jump_tables.h finds them. */
#pragma once

#include "base/vec.h"
#include "wire/address.h"

#include <stdbool.h>
#include <stdint.h>

/* Why a jump or call was not resolved. */
enum cfg_reason {
    REASON_NONE,
    REASON_POINTER,   /* through a pointer that is no table entry: calls, tail calls */
    REASON_SLOT,      /* through a fixed slot that the loader or the program fills */
    REASON_UNTRACKED, /* its target could not be tracked */
    REASON_UNBOUNDED, /* a table of unknown length */
    REASON_WRITABLE,  /* a table that the program may change */
    REASON_ENTRY,     /* a table with an entry that leads to no code */
    REASON_UNREACHED, /* no path leads to it */
    REASON_EFFORT,    /* the steps for its function ran out */
    REASON_KINDS,
};
const char *cfg_reason_name(enum cfg_reason reason);

struct jump {
    uint32_t instruction; /* index of the indirect jump */
    uint8_t reason;       /* enum cfg_reason; NONE: resolved */
    uint8_t entry_bytes;  /* 4: relative to base, 8: absolute; 0: no table was found */
    bool tail;            /* the stack is as at entry: a jump out of the function is a tail call */
    struct svma table;    /* address of entry 0, which may be unused */
    struct svma base;
    uint64_t first, n;                /* entries, from `first` on */
    uint32_t first_target, n_targets; /* in jumps.targets: sorted, each once */
};

struct jumps {
    VEC(struct jump); /* by instruction */
    struct jump_targets {
        VEC(struct svma);
    } targets;
};
void jumps_release(struct jumps *jumps);
