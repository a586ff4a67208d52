/* Guesses the discriminator that gcc gave to each block.
 *
 * Debug information separates code of one line by discriminators; notes lack them. gcc numbers
 * blocks when it first makes a graph, in block order: if a block ends on a line, and a successor
 * begins or ends on it too, the successor gets the line's next number. The same done on the later
 * graph of the notes gives the same numbers, unless something was removed in between. */
#pragma once

#include "gcov/notes.h"

/* For each block; 0: none. Free with mem_free. */
uint32_t *discriminators_guess(const struct notes_function *function);

/* For each block the block that it continues, mostly itself: notes split blocks after calls that
 * may not return. Free with mem_free. */
uint32_t *blocks_uncut(const struct notes_function *function);
