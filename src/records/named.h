/* Built-in metrics. Parameters: `width`, issue width of the machine; `window`, largest distance of
 * a pair; `cycles`, what counts as near in time. */
#pragma once

#include "records/ledger.h"

/* Of single records: frequency of events, and duration of stages. Stages that the hardware does not
 * report have no number. */
extern const struct metric metrics_alone[];
/* Of pairs. Metrics that count others are valid only if the other is any instruction of the window,
 * not selected by a property. */
extern const struct metric metrics_pairs[];

/* The other retired right after this one; only aborted instructions between. */
#define METRIC_NEXT "other.steps == 1"

/* Keys by name: "place", "page", "line", "object", "source", "all"; for pairs "edge" (both places)
 * and "unit" (this place and the unit of the other). NULL: unknown. */
const char *const *metric_keys(const char *name);
