/* Detects changes of the list of loaded modules. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct r_debug;

/* A number that changes when the loader's list of modules does. False: it is changing now, or has
 * an unknown format. Costs a pointer chase and a short string per module. */
bool loader_fingerprint(const struct r_debug *loader, uint64_t *ret);
