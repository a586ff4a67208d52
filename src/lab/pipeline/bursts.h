/* How even instructions retire: those of windows of 30 cycles (ProfileMe, section 6). */
#pragma once

#include "lab/table/table.h"

extern const struct lab_table lab_bursts;
