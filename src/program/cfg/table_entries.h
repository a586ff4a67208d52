/* The entries of a jump table: how many there are, and where they lead. */
#pragma once

#include "program/cfg/jumps.h"

struct jump_search;
struct table_load;

/* Tables of one function that were read last, whatever came of it: its code, blocks apart, does not
 * change. */
enum { TABLES_READ = 8 };
struct tables_read {
    struct table_reading {
        struct svma table, base; /* as in a jump */
        uint64_t first, n;
        uint8_t entry_bytes;
        bool proved, tail;
        bool sound; /* no entry leads nowhere */
        struct jump_targets targets;
    } of[TABLES_READ];
    uint32_t next; /* that is given up, modulo TABLES_READ */
    struct {
        uint64_t start, end, n; /* n pointers were counted from there up to here */
    } counted;
};
void tables_read_release(struct tables_read *read);

/* Of the table that the jump's target was loaded from. jump->base and jump->tail are known; all
 * else of the jump is set, and its targets are appended to those of the search. */
enum cfg_reason table_resolve(const struct jump_search *search, struct jump *jump,
                              const struct table_load *load);
