/* Copies of code that the program changed or unmapped are stale: the cache is flushed before the
 * next walk. */
#pragma once

#include <stdint.h>

/* The program changed mapped code, or its protection. Returns when no walk of another thread runs
 * copies of it any more. */
void agent_code_changed(uint64_t start, uint64_t bytes);
/* Code of a file may be written now: what runs there is not what the file says. */
void agent_code_writable(uint64_t start, uint64_t bytes);
/* The same for whatever the loader may have unloaded. */
void agent_modules_closed(void);
