/* What the short displacement of an EVEX instruction counts in: the bytes that it accesses, or one
 * element if that is broadcast.
 *
 * Freestanding, as insn.h, and held to Zydis in the tests. */
#pragma once

#include "x86/insn.h"

/* 0: not known (arithmetic on half floats). */
uint8_t evex_unit(const struct insn *insn, const uint8_t *bytes);
