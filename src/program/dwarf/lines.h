/* Source lines of code addresses, from the DWARF line tables of an image.
 *
 * Each table is read once, by several threads; a look-up is a binary search for the sequence and
 * one for the row in it. Of two tables that claim a place (a damaged file, code folded by the
 * linker) the first has it. */
#pragma once

#include "base/map.h"
#include "base/memory.h"
#include "base/vec.h"
#include "program/dwarf/dwarf_line.h"
#include "program/dwarf/paint.h"
#include "wire/address.h"

#include <stdbool.h>
#include <stdint.h>

struct debug_info;

struct line_place {
    const char *file; /* one pointer for one file */
    uint32_t line, column, discriminator;
};

struct lines {
    struct arena arena;
    struct map by_offset; /* of .debug_line -> table */
    struct line_tables {
        VEC(struct line_table);
    } tables;
    struct line_paths {
        VEC(const char **); /* of each table: of each of its files */
    } paths;
    struct line_runs {
        VEC(struct line_run);
    } runs;
    struct stretches stretches; /* value: run */
    struct dwarf_damage damage;
};

struct line_run {
    const struct line_row *rows;
    size_t n_rows;
    uint32_t table;
};

/* A file without line tables, or with broken ones, gives what could be read; damage is noted. */
void lines_read(struct lines *lines, const struct debug_info *info);
/* The same with the rows at which statements begin, and no others. What gcc -O2 -g says: a
 * statement that was moved or lost its code still begins where it did. Those of other compilers,
 * and of gcc without optimisation, begin at every row. */
void lines_read_statements(struct lines *lines, const struct debug_info *info);
void lines_release(struct lines *lines);

/* False: no line is known there. */
bool lines_at(const struct lines *lines, struct svma at, struct line_place *ret_place);
/* The same, and up to where that holds, which is behind `at`, also if no line is known. */
bool lines_up_to(const struct lines *lines, struct svma at, struct line_place *ret_place,
                 struct svma *ret_end);
bool lines_find(const struct lines *lines, struct svma at, const char **ret_file,
                uint32_t *ret_line);

/* The table at an offset of .debug_line, and file number `file` of a table; LINE_TABLE_NONE and
 * NULL: there is none. */
#define LINE_TABLE_NONE UINT32_MAX
uint32_t lines_table(const struct lines *lines, uint64_t stmt_list);
const char *lines_file(const struct lines *lines, uint32_t table, uint64_t file);
