/* The knobs of a ProfileMe unit (Dean et al., 4.2 and 4.3): buffers between interrupts, tags, and
 * how many instructions are followed together. */
#pragma once

#include "lab/table/table.h"

extern const struct lab_table lab_units;
