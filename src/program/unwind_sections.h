/* Where an image has its entries. */
#pragma once

struct image;
struct unwind_entries;

/* Those of .eh_frame, found by its section or, in a file without sections, by the program header that
 * leads to it. */
void unwind_entries_read_eh(struct unwind_entries *entries, const struct image *image);
/* Those of .debug_frame, in the file itself and in its debug file. */
void unwind_entries_read_debug(struct unwind_entries *entries, const struct image *image);
