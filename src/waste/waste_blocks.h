/* The instructions of superblocks, as waste_code.h has them, each read when it first runs. Numbers
 * of instructions are indices in `code`. The same place in two superblocks has two numbers. */
#pragma once

#include "base/map.h"
#include "process/images.h"
#include "process/units.h"
#include "waste/waste_code.h"

struct waste_instruction {
    struct waste_code code;
    struct place at;
    uint32_t place;    /* index in `places`, which the same place in another superblock has, too */
    uint64_t executed; /* in this window */
};

/* What is known of a place. */
struct waste_looked {
    struct waste_code code; /* length 0: it cannot be read. Decoding takes most of the time of a
                               short recording, and superblocks overlap */
    uint64_t weight;        /* of its executions that no row has yet */
    bool found;             /* there was waste: then they have a row */
};

struct waste_blocks {
    const struct units *units;
    struct images images;
    struct {
        VEC(struct waste_instruction);
    } code;
    struct map places; /* module and address */
    struct waste_places {
        VEC(struct waste_looked);
    } looked; /* as places */
    struct waste_met {
        VEC(uint32_t);
    } met; /* numbers, of this window */
    struct {
        VEC(uint32_t);
    } first; /* by superblock: number + 1 of its first instruction; 0: not read yet */
};

#define WASTE_UNREADABLE (UINT32_MAX - 1)

void waste_blocks_init(struct waste_blocks *blocks, const struct units *units);
void waste_blocks_release(struct waste_blocks *blocks);
/* The number of a superblock's first instruction; WASTE_UNREADABLE. */
uint32_t waste_block(struct waste_blocks *blocks, uint32_t superblock);
