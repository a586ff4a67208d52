/* Finds unnamed parts of functions. Compilers move cold code out of functions ("foo.cold"); in a
 * stripped file only the code and its frame description are left.
 *
 * A stretch is a part of a function if direct jumps of that one function are the only way in, and
 * it cannot be a function itself. It cannot if its frame description starts inside a frame. Nor can
 * it if nothing calls it, takes its address or points to it, and it is entered in its middle or by
 * a conditional jump. Code that only exceptions enter is not assigned. */
#pragma once

#include "program/symbols/crossings.h"
#include "program/elf/evidence.h"

/* In: parents[i] is i if stretch i is no part yet. Out: the function of each part found. */
void split_parts_find(const struct crossings *crossings, const struct evidence *evidence,
                      const struct code_stretch *stretches, size_t n, uint32_t *parents);
