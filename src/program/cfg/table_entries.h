/* The entries of a jump table: their number and targets. */
#pragma once

#include "program/cfg/jumps.h"

struct jump_search;
struct table_load;

/* The tables of one function that were read last. They stay valid: its code does not change, only
 * its blocks do. */
enum { TABLES_READ = 8 };
struct tables_read {
    struct table_reading {
        struct svma table, base; /* as in a jump */
        uint64_t first, n;
        uint8_t entry_bytes;
        bool proved, tail;
        bool sound; /* every entry leads to code */
        struct jump_targets targets;
    } of[TABLES_READ];
    uint32_t next; /* to be replaced next, modulo TABLES_READ */
    struct {
        uint64_t start, end, n; /* n pointers lie in [start, end) */
    } counted;
};
void tables_read_release(struct tables_read *read);

/* Resolves a jump whose target was loaded from a table. jump->base and jump->tail are set; it sets
 * the rest and appends the targets to those of the search. */
enum cfg_reason table_resolve(const struct jump_search *search, struct jump *jump,
                              const struct table_load *load);
