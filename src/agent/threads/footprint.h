/* The agent's resident memory in the process; each page is counted once. */
#pragma once

#include <stdint.h>

/* Takes some dozens of microseconds: not for every sample. */
uint64_t footprint_bytes(void);
