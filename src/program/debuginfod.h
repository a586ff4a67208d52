/* Debug files from debuginfod servers: only if DEBUGINFOD_URLS names some.
 *
 * libdebuginfod is looked for when it is first needed, so that it is no dependency. It keeps what it
 * fetched and needs no network for that again; it gives up after DEBUGINFOD_TIMEOUT seconds without
 * data (90 if that is not set), and so never waits for ever. */
#pragma once

#include <stdint.h>

/* The path of the debug file in the cache, to be freed; NULL: there is none. */
char *debuginfod_fetch(const uint8_t *build_id, uint32_t bytes);
