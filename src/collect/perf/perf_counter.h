/* Whether a program can read a counter of the processor by itself (rdpmc), for an event of
 * perf_names.h: tried on this thread. */
#pragma once

#include "collect/perf/perf_names.h"

bool perf_counter_try(const struct perf_event_name *event, struct err *err);
