/* What gprof's way of giving time to callers makes of a program whose calls do not take equally
 * long (Ammons, Ball and Larus, sections 1 and 7.1), beside measured contexts. */
#pragma once

#include "lab/table/table.h"

extern const struct lab_table lab_apportion;
