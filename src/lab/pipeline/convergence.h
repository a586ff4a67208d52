/* How estimates of ProfileMe come near to what they estimate (Figure 3). */
#pragma once

#include "lab/table/table.h"

extern const struct lab_table lab_convergence;
