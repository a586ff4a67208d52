/* How well a core's model foretells what blocks of instructions take: a file of lines "HEX,CYCLES",
 * each a block of straight code and the measured cycles of one of many copies of it that stand
 * behind each other; or, if it ends in a branch to its own start, of one turn of that loop.
 *
 * As such blocks are measured, all registers and all memory hold one value at first, an address
 * that is mapped, and all pages are one frame. Copies: 150, or as many as fill 3072 bytes. A clock
 * that counts in steps of many cycles shows few of the values between them; the step is found in
 * the file, as the largest of which nearly all times of all copies are multiples. */
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct model;

struct block {
    uint32_t line; /* of the file, from 1 */
    uint8_t *bytes;
    uint32_t n;
    uint32_t instructions; /* 0: it cannot be decoded */
    bool loads, stores;
    double measured; /* cycles a copy, as all of these */
    double cycles;   /* what the model says */
    double reading;  /* what the clock of the file would have shown of that */
};

struct blocks {
    VEC(struct block);
    size_t unread;       /* that are no instructions: they have no part in errors */
    uint32_t clock_step; /* cycles between two values that the clock of the file can show; 1: none
                            found */
};

bool blocks_read(const char *path, struct blocks *ret_blocks, struct err *err);
void blocks_release(struct blocks *blocks);

/* Fills what the model says. */
void blocks_foretell(struct blocks *blocks, const struct model *model);

enum block_group { BLOCKS_NO_MEMORY, BLOCKS_LOADS, BLOCKS_STORES, BLOCKS_ALL, BLOCK_GROUPS };
enum block_part { BLOCKS_ODD, BLOCKS_EVEN, BLOCKS_BOTH }; /* lines */

struct block_errors {
    size_t n;
    double reading, cycles; /* mean of |said - measured| / measured; not a number of none */
    double median;          /* of the readings' */
};

void blocks_errors(const struct blocks *blocks, enum block_group group, enum block_part part,
                   struct block_errors *ret_errors);
