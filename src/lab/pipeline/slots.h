/* Wasted slots of issue of a command's instructions, as pairs estimate them, against the truth
 * (ProfileMe, section 5.2.3). */
#pragma once

#include "lab/table/table.h"

extern const struct lab_table lab_slots;
