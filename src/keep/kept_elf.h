/* An ELF file of sections alone, in memory. */
#pragma once

#include "base/bytes.h"

#include <stddef.h>

struct elf_file;

/* Bytes before what belongs to functions, of sections that refer to each other by offsets. */
enum { KEPT_INFO_HEADER = 12 + 5, KEPT_RNGLISTS_HEADER = 12 };

struct kept_section {
    const char *name;
    struct bytes bytes;
};

void kept_elf_make(struct elf_file *ret_file, const struct kept_section *sections, size_t n);
