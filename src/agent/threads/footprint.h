/* How much memory the agent takes in the process, as the kernel has it: pages that are there, each
 * counted once. */
#pragma once

#include <stdint.h>

/* Takes some dozens of microseconds: not for every sample. */
uint64_t footprint_bytes(void);
