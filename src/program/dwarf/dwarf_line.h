/* One line table of .debug_line: its files, and its rows in the order of addresses.
 *
 * A sequence is a stretch of code without holes; rows of one hold up to the next row. Of rows at
 * one address the last holds. A row that says what the one before said is left out. */
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
    uint32_t line;  /* 0: the compiler says it belongs to none */
    uint32_t discriminator;
    uint16_t column; /* 65535 and more are one */
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

/* How many bytes of names of files may still be read: many entries may name one string, and a file
 * made to do us harm would. Shared by threads. */
struct name_budget {
    atomic_uint_least64_t left;
};

struct line_table {
    struct line_files_raw {
        VEC(struct line_file);
    } files; /* indexed as the rows do: from 1 before DWARF 5 */
    struct line_row *rows;
    struct line_sequences {
        VEC(struct line_sequence); /* as they come */
    } sequences;
    struct dwarf_damage damage;
    uint64_t bytes; /* of the section that it takes */
};

/* What of a table is kept. */
enum line_choice {
    LINE_ROWS,       /* as said above */
    LINE_STATEMENTS, /* rows at which a statement begins, all of them: many may stand at one address
                      */
};

/* Only sequences that start in code of the image are kept: others are of functions that the linker
 * dropped. unit: whose table it is; for indexed strings. scratch: memory that is used again and
 * again, so that what is kept is no larger than it has to be. */
void line_table_read(struct line_table *table, const struct dwarf_sections *sections,
                     uint64_t offset, const struct dwarf_unit *unit, const struct image *image,
                     enum line_choice choice, struct name_budget *names, struct line_rows *scratch);
void line_table_release(struct line_table *table);
