/* A table as a drawing (SVG): one panel for each column that has numbers, one bar for each row, with its number as the table has it. */
#pragma once

#include "lab/lab.h"

#include <stdio.h>

void lab_plot(FILE *to, const struct lab_table *table, const struct lab_row *rows, size_t n);
