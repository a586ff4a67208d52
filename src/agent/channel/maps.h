/* The process's executable mappings: for the translator, what may be copied; for the tool, the file
 * and offset of each address. */
#pragma once

#include "walk/base/region.h"

/* For regions.refresh: reads /proc/self/maps, at most every few milliseconds when sampling. */
void maps_refresh(struct regions *regions);
/* The same at once. */
void maps_read(struct regions *regions);
