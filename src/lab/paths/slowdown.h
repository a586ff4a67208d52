/* Table 2 of the paper on value sampling: what recording costs, by what windows record, how long
 * they are and how often they are taken. */
#pragma once

#include "lab/table/table.h"

extern const struct lab_table lab_slowdown;
