/* Where the indirect jumps of a function go, as far as it can be proved.
 *
 * What is known of registers and memory (program/cfg/tracker.h) is carried along all paths of the
 * function until nothing changes. A jump through a constant table is resolved when the index has a
 * range there (a comparison, a mask, a width) or the file says how far the table reaches
 * (program/elf/evidence.h). A mask or a width says what the index can be, not where the table ends:
 * then every entry must lead to an instruction of the function, or be a tail call. An entry may
 * also name the very end of the function: that is what compilers write for cases which cannot
 * happen. */
#pragma once

#include "base/vec.h"
#include "program/cfg/tracked_stacks.h"
#include "wire/address.h"

#include <stdbool.h>
#include <stdint.h>

struct cfg;
struct image;
struct operation;
struct symbols;

/* Why a jump or call was not resolved. */
enum cfg_reason {
    REASON_NONE,
    REASON_POINTER,   /* goes through a pointer that is no entry of a table: calls, tail calls */
    REASON_SLOT,      /* goes through a fixed place that the loader or the program fills */
    REASON_UNTRACKED, /* what it jumps to could not be followed */
    REASON_UNBOUNDED, /* a table, but neither the code nor the file says how long */
    REASON_WRITABLE,  /* a table that the program may change */
    REASON_ENTRY,     /* a table, but an entry leads to where there is no code */
    REASON_UNREACHED, /* no path leads to it */
    REASON_EFFORT,    /* its function would take too long to follow */
    REASON_KINDS,
};
const char *cfg_reason_name(enum cfg_reason reason);

struct jump {
    uint32_t instruction; /* index of the indirect jump */
    uint8_t reason;       /* enum cfg_reason; NONE: resolved */
    uint8_t entry_bytes;  /* 4: relative to base, 8: absolute; 0: no table was found */
    bool tail;            /* the stack is the caller's: what leaves the function is a tail call */
    struct svma table;    /* address of entry 0, which need not be one of them */
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

/* Steps that one function is worth: twenty times what the largest known ones need. */
#define JUMPS_EFFORT (UINT64_C(1) << 25)

/* What stays while one function is asked of again. */
struct jumps_work {
    uint64_t effort;              /* that is left */
    struct operation *operations; /* of each instruction; NULL: nobody needed them yet */
    struct tracked_stacks stacks; /* an address that escaped has escaped from new blocks, too */
};
void jumps_work_release(struct jumps_work *work);

/* The indirect jumps of a function of which instructions and blocks are known. Targets that are no
 * block yet are not followed: make them blocks and ask again, with the same work. */
void jumps_find(struct jumps *jumps, const struct cfg *cfg, const struct image *image,
                const struct symbols *symbols, struct jumps_work *work);
void jumps_release(struct jumps *jumps);
