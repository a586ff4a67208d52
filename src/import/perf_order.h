/* The records of a perf.data in the order of their time: perf writes what each processor's ring
 * had, one after the other. Records without a time were made up by perf itself and come first;
 * traces have times of their own and come last. */
#pragma once

#include "import/perf_file.h"

struct perf_order {
    VEC(struct perf_span);
};

bool perf_order_make(struct perf_order *order, const struct perf_file *file, struct err *err);
