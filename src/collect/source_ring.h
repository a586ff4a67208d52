/* The ring of a process's channel: walks, threads that ended, and messages of compressors.
 *
 * An entry is copied before it is read: the process may change it meanwhile. An entry that makes no
 * sense is counted. All that was published is skipped with it, because the next entry cannot be
 * found. */
#pragma once

#include <stdint.h>

struct source;

/* Reads up to `published`. The units that walks name must be known. */
void source_ring_read(struct source *source, uint64_t published);
