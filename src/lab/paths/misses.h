/* Misses that profiling itself causes: of a program whose loads would all be near. */
#pragma once

#include "lab/table/table.h"

extern const struct lab_table lab_misses;

/* Whether all of them have timed loads. */
bool lab_latencies_check(const struct lab_recording *all, size_t n, struct err *err);
