/* Symbols that a stripped file carries in itself, compressed: .gnu_debugdata, as Fedora's files do.
 *
 * liblzma, which unpacks it, is looked for when it is first needed, so that it is no dependency. */
#pragma once

#include <stdbool.h>

struct elf_file;

/* False: there is none, or it cannot be unpacked. */
bool mini_debug_open(struct elf_file *ret_file, const struct elf_file *file);
