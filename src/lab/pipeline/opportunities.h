/* What is chosen if opportunities to fetch are counted, and not instructions (ProfileMe,
 * section 4.1.1). */
#pragma once

#include "lab/table/table.h"

extern const struct lab_table lab_opportunities;
