/* A text table. Cells are collected first, then each column gets the width of its widest cell. */
#pragma once

#include "base/memory.h"
#include "base/vec.h"
#include "text/ink.h"

#include <stdint.h>
#include <stdio.h>

struct sheet_cell {
    const char *text;
    enum ink_tone tone;
};
struct sheet {
    struct arena arena;
    const char *align; /* one letter a column: 'l' or 'r' */
    struct ink ink;
    uint64_t hidden; /* a bit for each column that gave way */
    struct sheet_cells {
        VEC(struct sheet_cell);
    } cells; /* row by row, the head first */
};

/* ink: NULL for none. */
void sheet_begin(struct sheet *sheet, const char *align, const struct ink *ink);
__attribute__((format(printf, 2, 3))) void sheet_cell(struct sheet *sheet, const char *format, ...);
/* A cell of percentage points, with their sign unless they are nearly none. */
void sheet_change(struct sheet *sheet, double points);
/* The tone of the last cell. */
void sheet_tone(struct sheet *sheet, enum ink_tone tone);
/* How wide a line of it will be. */
int sheet_width(const struct sheet *sheet);
/* Leaves a column out. Holds for cells that are filled in later, too. */
void sheet_hide(struct sheet *sheet, size_t column);
/* Cuts texts of the widest columns that stand at the left until a line is no wider than that, or
 * they are as short as can be. Of paths and of MODULE+0xADDRESS the end is kept, of all else the
 * beginning. */
void sheet_squeeze(struct sheet *sheet, int width);
/* Back to no cells. */
void sheet_clear(struct sheet *sheet);
/* Writes and releases it. */
void sheet_end(struct sheet *sheet, FILE *to);
