/* One line table of .debug_line: its files, and its rows in address order.
 *
 * A sequence is a gapless stretch of code; a row holds up to the next row. Of several rows at one
 * address the last counts. Rows equal to the one before are dropped. */
#pragma once

#include "base/vec.h"
#include "program/dwarf/dwarf_sections.h"
#include "program/dwarf/dwarf_unit.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct image;

struct line_row {
    uint64_t start; /* svma */
    uint32_t file;  /* index into the table's files */
    uint32_t line;  /* 0: the compiler assigns no line */
    uint32_t discriminator;
    uint16_t column; /* 65535: that or more */
};

struct line_sequence {
    uint64_t start, end;
    size_t first_row, n_rows;
};

struct line_file {
    const char *name, *folder; /* in the file's sections; folder may be NULL */
    bool in_comp_dir;          /* the folder is relative to the unit's */
};

struct line_rows {
    VEC(struct line_row);
};

/* Bytes of file names that may still be read. Many entries may name one string, and a hostile file
 * would. Shared by threads. */
struct name_budget {
    atomic_uint_least64_t left;
};

struct line_table {
    struct line_files_raw {
        VEC(struct line_file);
    } files; /* numbered as in rows: from 1 before DWARF 5 */
    struct line_row *rows;
    struct line_sequences {
        VEC(struct line_sequence); /* in file order */
    } sequences;
    struct dwarf_damage damage;
    uint64_t bytes; /* bytes of the section used */
};

/* Which rows are kept. */
enum line_choice {
    LINE_ROWS,       /* as described above */
    LINE_STATEMENTS, /* all rows that begin a statement: there may be many at one address */
};

/* Keeps only sequences that start in code of the image; the linker dropped the others. unit: for
 * indexed strings. scratch: memory reused between calls, so that the result is no larger than
 * needed. */
void line_table_read(struct line_table *table, const struct dwarf_sections *sections,
                     uint64_t offset, const struct dwarf_unit *unit, const struct image *image,
                     enum line_choice choice, struct name_budget *names, struct line_rows *scratch);
void line_table_release(struct line_table *table);
