/* The supplementary debug file (dwz) that .gnu_debugaltlink of a debug file names.
 *
 * Debian shares one between many debug files. It must have the build-id that the link states. */
#pragma once

struct arena;
struct elf_file;

/* Opens it: at the path in the link, relative to the debug file, or by build-id below
 * /usr/lib/debug. Returns its path; NULL: no link. ret_file without elf: not found there. */
const char *debug_alt_open(struct elf_file *ret_file, struct arena *arena,
                           const struct elf_file *file, const char *path);
