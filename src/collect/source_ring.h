/* The ring of a process's channel: walks, threads that ended and what compressors passed on, entry
 * by entry, to whoever takes them.
 *
 * An entry is copied before it is looked at: the process may change it meanwhile. One that makes no
 * sense is counted, and with it goes all that was published, for where the next begins cannot be
 * known. */
#pragma once

#include <stdint.h>

struct source;

/* Takes what was published up to there; the units that walks name are known. */
void source_ring_read(struct source *source, uint64_t published);
