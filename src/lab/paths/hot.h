/* Hot paths and hot procedures: tables 4 and 5 of Ammons, Ball and Larus (1997), by ticks instead
 * of cache misses, or by instructions where no ticks were taken: then all that is hot stands under
 * dense. */
#pragma once

#include "lab/table/table.h"

extern const struct lab_table lab_hot_paths, lab_hot_functions;
