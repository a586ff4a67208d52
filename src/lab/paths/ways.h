/* How well ways through a program are told by the directions of its branches, by how many of them
 * and by how far a pair is apart (ProfileMe, Figure 6). */
#pragma once

#include "lab/table/table.h"

extern const struct lab_table lab_ways, lab_ways_pairs;
