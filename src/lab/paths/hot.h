/* Hot paths and hot procedures: tables 4 and 5 of Ammons, Ball and Larus (1997), by misses in the
 * first cache of a model, by ticks, or by instructions: then all that is hot stands under dense. */
#pragma once

#include "lab/table/table.h"

extern const struct lab_table lab_hot_paths, lab_hot_functions;
