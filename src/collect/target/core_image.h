/* The agent's core as an ELF image without imports, for processes that did not load it: embedded in
 * the tool, laid out and relocated here. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct core_image {
    uint8_t *bytes; /* what its memory holds; zeros follow */
    size_t n;
    uint64_t span;                 /* of address space */
    uint64_t entry;                /* all of these from its base */
    uint64_t text_start, text_end; /* of the segment that is executed */
    uint64_t
        fixed; /* bytes that are read and executed, in whole pages; what is written to follows */
};

/* As it must be at this address, a multiple of the page size. */
void core_image_lay(struct core_image *ret_image, uint64_t base);
void core_image_release(struct core_image *image);
/* Bytes of address space it will take. */
uint64_t core_image_span(void);
