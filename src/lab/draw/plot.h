/* A table as a drawing (SVG): one panel for each column that has numbers, one bar for each row,
 * with its number as the table has it. */
#pragma once

#include "lab/table/table.h"

#include <stdio.h>

/* Of a cell: "1.5", "3e4" or "12.3%"; not a number: there is none. */
double lab_number(const struct lab_row *row, size_t column);

void lab_plot(FILE *to, const struct lab_table *table, const struct lab_row *rows, size_t n);
