/* Where counters of events say that they were (ProfileMe, Figure 2). */
#pragma once

#include "lab/table/table.h"

extern const struct lab_table lab_skid;
