/* What counters of events tell of two small loops (Chen et al. 2010, Figures 1 and 2). */
#pragma once

#include "lab/table/table.h"

extern const struct lab_table lab_counters_block, lab_counters_stall;
