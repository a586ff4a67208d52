/* The agent's core as an ELF image without imports, for injection: embedded in the tool, laid out
 * and relocated here. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct core_image {
    uint8_t *bytes; /* its memory; zeros follow */
    size_t n;
    uint64_t span;                 /* of address space */
    uint64_t entry;                /* offsets from its base */
    uint64_t text_start, text_end; /* of the executable segment */
    uint64_t fixed; /* bytes that are read and executed, in whole pages; writable ones follow */
};

/* Lays it out for this address, a multiple of the page size. */
void core_image_lay(struct core_image *ret_image, uint64_t base);
void core_image_release(struct core_image *image);
/* Bytes of address space that it takes. */
uint64_t core_image_span(void);
