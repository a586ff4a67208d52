/* Ways to sample time, each held to an oracle that knows whose every cycle is (TIP, MICRO 2021). */
#pragma once

#include "lab/table/table.h"

extern const struct lab_table lab_time_shares;
