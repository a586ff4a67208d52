/* The agent's core as an ELF image without imports, for processes that did not load it: embedded in the
 * tool, laid out and relocated here. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { CORE_SEGMENTS_MAX = 8 };

struct core_segment {
    uint64_t start, bytes; /* from the image's base, whole pages */
    int protection;        /* PROT_ */
};

struct core_image {
    uint8_t *bytes; /* what its memory holds; zeros follow */
    size_t n;
    uint64_t span;                 /* of address space */
    uint64_t entry;                /* all of these from its base */
    uint64_t text_start, text_end; /* of the segment that is executed */
    struct core_segment segments[CORE_SEGMENTS_MAX];
    uint32_t n_segments;
};

/* As it must be at this address, a multiple of the page size. */
void core_image_lay(struct core_image *ret_image, uint64_t base);
void core_image_release(struct core_image *image);
/* Bytes of address space it will take. */
uint64_t core_image_span(void);
