/* Which discriminator gcc gave to each block.
 *
 * Debug information tells code of one line apart by discriminators, notes do not have them. gcc
 * numbers blocks when it first makes a graph, in the order of blocks: whenever a block ends on a
 * line and one that follows it begins or ends on it as well, the latter gets the line's next
 * number. Done once more on the graph of the notes, which is younger, that gives the same numbers
 * as long as nothing in between was removed. */
#pragma once

#include "gcov/notes.h"

/* For each block; 0: none. Released by mem_free. */
uint32_t *discriminators_guess(const struct notes_function *function);

/* For each block the one that it is a continuation of, itself mostly: notes cut blocks behind calls
 * that may not come back. Released by mem_free. */
uint32_t *blocks_uncut(const struct notes_function *function);
