/* Debug files from debuginfod servers: only if DEBUGINFOD_URLS names some.
 *
 * libdebuginfod is looked for when it is first needed, so that it is no dependency. It keeps what
 * it fetched and needs no network for that again. A server that does not answer must not hold up a
 * report of many modules: it has DEBUGINFOD_TIMEOUT seconds, 10 if that is not set, and one try if
 * DEBUGINFOD_RETRY_LIMIT is not; and once one has failed, none is asked again. */
#pragma once

#include <stdint.h>

/* The path of the debug file in the cache, to be freed; NULL: there is none. */
char *debuginfod_fetch(const uint8_t *build_id, uint32_t bytes);
