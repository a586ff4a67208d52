/* The debug information of one image: its units, wherever they lie.
 *
 * They lie in the image or in its debug file; parts that many files share in a supplementary file
 * (dwz); and with -gsplit-dwarf the units proper in .dwo files or one .dwp file, of which the image
 * has skeletons. Reading headers is all that happens here; lines.h and inlines.h read on. */
#pragma once

#include "base/memory.h"
#include "base/vec.h"
#include "program/dwarf/dwarf_abbrev.h"
#include "program/dwarf/dwarf_sections.h"
#include "program/dwarf/dwarf_unit.h"
#include "program/elf/elf_file.h"

struct image;

/* One file with DWARF in it. */
struct debug_part {
    struct elf_file file; /* not the image's own, nor its debug file's */
    struct dwarf_sections sections;
    struct abbrev_cache abbrevs;
    struct dwarf_units units;
};

struct debug_info {
    struct arena arena;
    const struct image *image;
    const char *path; /* of the file with the units */
    struct debug_part main, alt;
    struct debug_parts {
        VEC(struct debug_part *); /* .dwo files, or the one .dwp file */
    } split;
    struct unit_list {
        VEC(const struct dwarf_unit *); /* whose entries have code, in order */
    } units;
    struct dwarf_damage damage;
    const char *damaged_file;  /* path of the file with the first damage */
    size_t n_split_missing;    /* skeletons whose unit was not found */
    const char *split_missing; /* the first one's file */
    const char *alt_missing;   /* a supplementary file that was not found; NULL: none */
};

/* An image without debug information, or with a broken one, gives what could be read. */
void debug_info_open(struct debug_info *info, const struct image *image);
void debug_info_close(struct debug_info *info);

/* Parts that were not found, and what could be done: one line for people. NULL: all are there. */
const char *debug_info_missing(struct debug_info *info);

/* The name that the linker knows a function by, of the entry at an offset of the unit's .debug_info
 * (marked DIE_IN_ALT if it is the supplementary file's), looked for through origins and
 * specifications; else its plain name; NULL: it has none. */
const char *debug_info_name(const struct debug_info *info, const struct dwarf_unit *unit,
                            uint64_t die);
/* The line that the same entry is declared at, looked for in the same way; 0: not known. */
uint32_t debug_info_line(const struct debug_info *info, const struct dwarf_unit *unit,
                         uint64_t die);
