/* Whether latency tells what holds a program up (ProfileMe, Figure 7). */
#pragma once

#include "lab/table/table.h"

extern const struct lab_table lab_bottlenecks;
