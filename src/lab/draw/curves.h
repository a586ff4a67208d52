/* A table whose rows are points, drawn (SVG): for each name two panels at most, one for each unit,
 * which is the last word of a column's title; in it a curve for each column, over what the second
 * column has. */
#pragma once

#include "lab/table/table.h"

#include <stdio.h>

void lab_curves(FILE *to, const struct lab_table *table, const struct lab_row *rows, size_t n);
