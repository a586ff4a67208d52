/* Figure 1 of the paper on value sampling: a listing of loads with where they found what they
 * loaded, among the instructions that the CPU waits at. */
#pragma once

#include "lab/table/table.h"

extern const struct lab_table lab_load_listing;
