/* Where an image has its entries. */
#pragma once

#include "wire/address.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;
struct unwind_entries;

/* .eh_frame_hdr: where entries are, and an index of them by address. */
struct unwind_header {
    struct svma at, section;
    const uint8_t *rows; /* pairs of 32-bit distances from `at`: code and entry, by code */
    size_t n_rows;       /* 0: there is no index that can be read */
};

/* False: the image has none. */
bool unwind_header_find(const struct image *image, struct unwind_header *ret_header);

/* Those of .eh_frame, found by its section or, in a file without sections, by the program header
 * that leads to it. */
void unwind_entries_read_eh(struct unwind_entries *entries, const struct image *image);
/* Those of .debug_frame, in the file itself and in its debug file. */
void unwind_entries_read_debug(struct unwind_entries *entries, const struct image *image);
