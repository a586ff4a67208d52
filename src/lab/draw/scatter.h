/* Points of a table, drawn (SVG): one panel, a colour for each series. Of very many, every n-th is
 * drawn, and the drawing says so. */
#pragma once

#include "lab/table/table.h"

#include <stdio.h>

void lab_scatter(FILE *to, const struct lab_rows *rows);
