/* The records of a perf.data in time order: perf writes the rings of CPUs one after another.
 * Records without a time were made by perf itself and come first; traces have times of their own
 * and come last. */
#pragma once

#include "import/perf_file.h"

struct perf_order {
    VEC(struct perf_span);
};

bool perf_order_make(struct perf_order *order, const struct perf_file *file, struct err *err);
