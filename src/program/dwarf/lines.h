/* Source lines of code addresses, from the DWARF line tables of an image.
 *
 * Several threads read each table once. A lookup is two binary searches: for the sequence, and for
 * the row in it. If two tables claim an address (a damaged file, code folded by the linker), the
 * first wins. */
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
    const char *file; /* one pointer per file */
    uint32_t line, column, discriminator;
};

struct lines {
    struct arena arena;
    struct map by_offset; /* of .debug_line -> table */
    struct line_tables {
        VEC(struct line_table);
    } tables;
    struct line_paths {
        VEC(const char **); /* for each table, the paths of its files */
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

/* Missing or broken tables give what could be read; damage is noted. */
void lines_read(struct lines *lines, const struct debug_info *info);
/* The same with only the rows that begin a statement. With gcc -O2 -g a statement that was moved or
 * lost its code still begins where it did. Other compilers, and gcc without optimisation, begin one
 * at every row. */
void lines_read_statements(struct lines *lines, const struct debug_info *info);
void lines_release(struct lines *lines);

/* False: no line is known. */
bool lines_at(const struct lines *lines, struct svma at, struct line_place *ret_place);
/* The same; *ret_end is where the answer stops to hold, also if no line is known. */
bool lines_up_to(const struct lines *lines, struct svma at, struct line_place *ret_place,
                 struct svma *ret_end);
bool lines_find(const struct lines *lines, struct svma at, const char **ret_file,
                uint32_t *ret_line);

/* The table at an offset of .debug_line, and file number `file` of a table; LINE_TABLE_NONE and
 * NULL: none. */
#define LINE_TABLE_NONE UINT32_MAX
uint32_t lines_table(const struct lines *lines, uint64_t stmt_list);
const char *lines_file(const struct lines *lines, uint32_t table, uint64_t file);
