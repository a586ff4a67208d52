/* Where counters of events say that they were (ProfileMe, Figure 2). */
#pragma once

#include "lab/lab.h"

extern const struct lab_table lab_skid;
