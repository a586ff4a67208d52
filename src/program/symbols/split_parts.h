/* Parts of functions that no name tells of: compilers move what they expect to run rarely out of
 * functions ("foo.cold"), and in a stripped file nothing but code and frame descriptions is left of
 * that.
 *
 * A stretch is a part of the one function whose direct jumps lead into it, if nothing else does,
 * and it is no function by itself: its frame description begins inside of a frame, which somebody
 * else must have made; or nobody calls it, takes its address or points to it, and it is entered in
 * its middle or by a conditional jump. What is entered by exceptions alone stays apart. */
#pragma once

#include "program/symbols/crossings.h"
#include "program/elf/evidence.h"

/* parents[i], set to i for those that are no part yet, gets the function of each part that is
 * found. */
void split_parts_find(const struct crossings *crossings, const struct evidence *evidence,
                      const struct code_stretch *stretches, size_t n, uint32_t *parents);
