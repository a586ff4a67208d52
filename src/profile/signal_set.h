/* Sets of signals as the kernel has them: bit N - 1 is signal N. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* "USR1 TERM 34": names without SIG, numbers of real-time signals; "none"; "all", without those
 * that cannot be blocked. Long sets end with "...". */
void signal_set_text(uint64_t set, char *text, size_t bytes);
