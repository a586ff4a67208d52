/* Finds the frame entries of an image. */
#pragma once

#include "wire/address.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;
struct unwind_entries;

/* .eh_frame_hdr: the place of the entries, and an index by address. */
struct unwind_header {
    struct svma at, section;
    const uint8_t *rows; /* pairs of 32-bit distances from `at`: code and entry, sorted by code */
    size_t n_rows;       /* 0: no readable index */
};

/* False: the image has none. */
bool unwind_header_find(const struct image *image, struct unwind_header *ret_header);

/* Reads .eh_frame, found by its section or, without sections, by its program header. */
void unwind_entries_read_eh(struct unwind_entries *entries, const struct image *image);
/* Reads .debug_frame, of the file and of its debug file. */
void unwind_entries_read_debug(struct unwind_entries *entries, const struct image *image);
