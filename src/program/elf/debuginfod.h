/* Debug files from debuginfod servers, only if DEBUGINFOD_URLS names some.
 *
 * libdebuginfod is loaded at first use, so it is no dependency. It caches what it fetches. A slow
 * server must not delay a report of many modules: the timeout is DEBUGINFOD_TIMEOUT seconds
 * (default 10), with one try unless DEBUGINFOD_RETRY_LIMIT is set. After a failure no server is
 * asked again. */
#pragma once

#include <stdint.h>

/* The path of the debug file in the cache, to be freed; NULL: there is none. */
char *debuginfod_fetch(const uint8_t *build_id, uint32_t bytes);
