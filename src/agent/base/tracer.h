/* Who else has a hand in the process, as /proc/self/status says. Each read takes some tens of
 * microseconds. */
#pragma once

#include <stdbool.h>

/* A debugger. It would see the signals of samples and stop at them, and the breakpoints that it
 * sets are not in copies: traced processes run natively. */
bool tracer_present(void);

/* No seccomp filter is in force for the process's first thread. False also if that cannot be read.
 */
bool tracer_no_filter(void);
