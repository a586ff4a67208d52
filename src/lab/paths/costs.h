/* What profiling costs, and what it does to what it measures: tables 1 and 2 of Ammons, Ball and
 * Larus (1997). Recordings of one program, the first of them the base: one at 1 %, say, or with
 * nothing recorded (--exact=none). */
#pragma once

#include "lab/table/table.h"

extern const struct lab_table lab_overhead, lab_perturbation;
