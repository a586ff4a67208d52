/* gait optimize: the result, as text or JSON on stdout. */
#pragma once

#include <stdbool.h>

struct gain;
struct run_counts;
struct optimize;

/* counts: before and after; NULL: not known. */
void optimize_text(const struct optimize *optimize, const struct gain *gain,
                   const struct run_counts *counts, bool compared);
void optimize_json(const struct optimize *optimize, const struct gain *gain,
                   const struct run_counts *counts, bool compared);
