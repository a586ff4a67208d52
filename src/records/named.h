/* Metrics that come with gait. Parameters: `width`, instructions that the machine can issue in a
 * cycle; `window`, the largest distance of two of a pair; `cycles`, what is a neighbourhood in
 * time. */
#pragma once

#include "records/ledger.h"

/* Of single records: how often what happened, and how long each stage took. Hardware that does not
 * tell a stage has no number there. */
extern const struct metric metrics_alone[];
/* Of pairs. Those that count others hold if the other is any of the window: not of a part of the
 * pairs that is chosen by what the other is. */
extern const struct metric metrics_pairs[];

/* Of a pair: the other retired right behind this one, with nothing between them but what was thrown
 * away. */
#define METRIC_NEXT "other.steps == 1"

/* What records can belong to, by name: "place", "page", "line", "object", "source", "all"; of pairs
 * "edge", this place and the other, and "unit", this place and the unit that the other was issued
 * to. NULL: there is none. */
const char *const *metric_keys(const char *name);
