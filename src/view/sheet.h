/* A text table: cells are collected, columns then made as wide as their widest cell. */
#pragma once

#include "base/memory.h"
#include "base/vec.h"

#include <stdio.h>

struct sheet {
    struct arena arena;
    const char *align; /* one letter a column: 'l' or 'r' */
    struct sheet_cells {
        VEC(const char *);
    } cells; /* row by row, the head first */
};

void sheet_begin(struct sheet *sheet, const char *align);
__attribute__((format(printf, 2, 3))) void sheet_cell(struct sheet *sheet, const char *format, ...);
/* Writes and releases it. */
void sheet_end(struct sheet *sheet, FILE *to);
