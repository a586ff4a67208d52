/* Detects a debugger. It would see the signals of samples and stop at them, and the breakpoints
 * that it sets are not in copies: traced processes run natively. */
#pragma once

#include <stdbool.h>

/* Reads /proc/self/status: some tens of microseconds. */
bool tracer_present(void);
