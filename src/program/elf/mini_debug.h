/* Compressed symbols inside a stripped file: .gnu_debugdata, as Fedora builds have it.
 *
 * liblzma unpacks it. It is loaded at first use, so it is no dependency. */
#pragma once

#include <stdbool.h>

struct elf_file;

/* False: there is none, or it cannot be unpacked. */
bool mini_debug_open(struct elf_file *ret_file, const struct elf_file *file);
