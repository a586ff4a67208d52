/* The supplementary debug file (dwz): what .gnu_debugaltlink of a debug file names.
 *
 * Debian's packages have one for many debug files. Its build-id stands in the link and must be its.
 */
#pragma once

struct arena;
struct elf_file;

/* Opens it: beside the debug file as the link says, or by build-id below /usr/lib/debug. Returns
 * its path; NULL: the file has no such link. If ret_file has no elf, it was not found there. */
const char *debug_alt_open(struct elf_file *ret_file, struct arena *arena,
                           const struct elf_file *file, const char *path);
