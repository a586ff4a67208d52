/* The eight metrics of table 2 of Ammons, Ball and Larus (1997), as a model of a core counts them:
 * how much of each is along paths (F), and how much in calling contexts (C). */
#pragma once

#include "lab/table/table.h"

extern const struct lab_table lab_metrics;
