/* Where the debug information of a stripped file comes from.
 *
 * In this order: the file itself; /usr/lib/debug/.build-id; the name in .gnu_debuglink beside the
 * file, in its .debug folder, and below /usr/lib/debug; FILE.debug and /usr/lib/debug/FILE; and, if
 * DEBUGINFOD_URLS is set, debuginfod; at last the names in the file's own .gnu_debugdata. A file
 * found by build-id must have that build-id; one found by name must have it, or the checksum that
 * the link states. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct elf_file;
struct image;

/* Sets image->debug and image->search. Most images have no debug file. */
void debug_file_find(struct image *image);

/* Whether the file or its debug file names functions that are not exported, too. */
bool debug_file_names(const struct image *image);
/* What is missing, in a few words; NULL: nothing. */
const char *debug_file_lacking(const struct image *image);
/* One line for people: what is missing (names, lines), where it was searched, how to get it. NULL:
 * nothing is missing. */
const char *debug_file_missing(struct image *image);
/* The same without the places that were searched. */
const char *debug_file_missing_brief(struct image *image);

/* The path that a debug package gives the file of this build-id. NULL: the id is too short. */
const char *debug_file_id_path(struct arena *arena, const uint8_t *id, uint32_t bytes);
/* The build-id in the notes of a debug file, which has no segments: at most BUILD_ID_MAX bytes.
 * Returns their number; 0: none. */
uint32_t debug_file_build_id(const struct elf_file *file, uint8_t *ret_id);
