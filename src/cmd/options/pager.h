/* Text for people goes through a pager if it goes to a terminal: $GAIT_PAGER, $PAGER, or less if
 * there is one. */
#pragma once

#include <stdbool.h>

/* Puts stdout through the pager. Nothing happens if stdout is no terminal, or the pager is "cat" or
 * "". */
void pager_begin(void);
/* Waits for the reader to leave. Whether there was a pager: what could not be written then was not
 * wanted. */
bool pager_end(void);
