/* What the paper on stratified sampling shows of compressors (its Table 1 and Figures 4, 7 to 11),
 * of files of tuples: what loads loaded, and where branches and calls went. Each table ends with
 * what the paper says of it, and whether that holds here. */
#pragma once

#include "lab/table/table.h"

extern const struct lab_table lab_streams_programs, lab_streams_chance, lab_streams_errors,
    lab_streams_convergence, lab_streams_parts, lab_streams_counters, lab_streams_branches,
    lab_streams_designs, lab_streams_hash, lab_streams_tags, lab_streams_settle, lab_streams_kinds,
    lab_streams_hotlists;
