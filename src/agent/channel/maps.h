/* The process's executable mappings: for the translator, what may be copied; for the tool, which
 * file and offset an address belongs to. */
#pragma once

#include "walk/base/region.h"

/* A regions.refresh: reads /proc/self/maps, when sampling at most every few milliseconds. */
void maps_refresh(struct regions *regions);
/* The same at once. */
void maps_read(struct regions *regions);
