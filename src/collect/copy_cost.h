/* What plain copies cost on this machine, by the figures of wire/plain.h. */
#pragma once

#include <stdint.h>

/* Runs small functions of the tool natively and on copies of themselves, the least of several
 * rounds of each: the difference, by what wire/plain.h says of the same copies, in 2^-8. The agent
 * and the tool multiply that file's figures with it. Copies of real programs cost two fifths more
 * than these by the same figures (fifteen programs on a Zen 5), which is added. 256, the most, if
 * it cannot be measured. Takes half a millisecond. */
uint32_t copy_cost_measure_q8(void);
