/* Whether a debugger holds this process. It would see the signals of samples and stop at them, and
 * breakpoints that it puts into the code are not in our copies: whoever is traced runs natively. */
#pragma once

#include <stdbool.h>

/* Reads /proc/self/status: some tens of microseconds. */
bool tracer_present(void);
