/* Tables of Chen et al., Taming hardware event samples for FDO compilation (2010), from recordings
 * of a modelled core: Table 1, Figure 3, and which event to sample. */
#pragma once

#include "lab/table/table.h"

extern const struct lab_table lab_events_weights, lab_events_bars, lab_events_primary;
