/* Recordings of one service, build and kind, added up before they are sent: those that began in one
 * hour (or as long as is asked for), or in several of one day, if they had to wait. That is a tenth
 * of the bytes, and of the rows in the store.
 *
 * A sum is written beside its recordings and a list of them, then renamed; from then on it counts,
 * and they are removed. Whatever is killed, each recording is in one place (spool_settle). */
#pragma once

#include "fleet/watch/spool.h"

/* Adds up what began in hours that are over, or (a clock was set back) not there yet; `all`: also
 * of this one. Fails where a sum cannot be written; its recordings stay. */
bool spool_gather(struct spool *spool, uint64_t now_ns, bool all, struct err *err);
/* Ends what was not ended. */
void spool_settle(struct spool *spool);
