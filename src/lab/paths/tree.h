/* The calling context tree of a recording: table 3 of Ammons, Ball and Larus (1997). */
#pragma once

#include "lab/table/table.h"

extern const struct lab_table lab_tree;
