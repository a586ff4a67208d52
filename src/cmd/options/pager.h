/* A pager for text on a terminal: $GAIT_PAGER, $PAGER, or less if it is installed. */
#pragma once

#include <stdbool.h>

/* Puts stdout through the pager, unless stdout is no terminal or the pager is "cat" or "". */
void pager_begin(void);
/* Waits until the reader quits. True if there was a pager: a failed write then only means that the
 * reader has quit. */
bool pager_end(void);
