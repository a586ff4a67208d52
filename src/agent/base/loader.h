/* Whether the modules are still those that the cache was built for. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct r_debug;

/* A number that changes when the loader's list of modules does. False: it is being changed now, or
 * has a form we do not know. Costs a pointer chase and a short string per module. */
bool loader_fingerprint(const struct r_debug *loader, uint64_t *ret);
