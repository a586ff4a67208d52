/* The header of a line table: the encoding of its program, and its file names. */
#pragma once

#include "base/cursor.h"

#include <stdbool.h>
#include <stdint.h>

struct dwarf_sections;
struct dwarf_unit;
struct line_table;
struct name_budget;

struct line_header {
    uint8_t instruction_bytes, opcode_base, line_range;
    int8_t line_base;
    bool default_statement; /* rows begin statements unless the program says otherwise */
    uint8_t operands[256];  /* operands of each standard opcode */
    struct cursor program;
};

/* Fills the table's files and bytes. NULL, or what is wrong. */
const char *line_header_read(struct line_header *header, struct line_table *table,
                             const struct dwarf_sections *sections, uint64_t offset,
                             const struct dwarf_unit *unit, struct name_budget *names);
