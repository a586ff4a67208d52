/* Standard output whose long lines go on below, for a terminal (text/wrap.h). */
#pragma once

/* Replaces stdout by one that wraps at so many columns. Once; what was written so far is flushed.
 */
void wrapped_begin(int columns);
/* Flushes stdout, and what of its last line has no end yet. */
int wrapped_flush(void);
