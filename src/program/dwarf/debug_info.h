/* The debug information of one image: its units, wherever they are.
 *
 * They are in the image or its debug file; shared parts in a supplementary file (dwz); with
 * -gsplit-dwarf in .dwo files or one .dwp file, and the image has skeletons. This reads headers
 * only; lines.h and inlines.h read the rest. */
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
    struct elf_file file; /* opened here; unset for the image and its debug file */
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
        VEC(const struct dwarf_unit *); /* units with code, in order */
    } units;
    struct dwarf_damage damage;
    const char *damaged_file;  /* path of the file with the first damage */
    size_t n_split_missing;    /* skeletons whose unit was not found */
    const char *split_missing; /* the first one's file */
    const char *alt_missing;   /* a supplementary file that was not found; NULL: none */
};

/* Missing or broken debug information gives what could be read. */
void debug_info_open(struct debug_info *info, const struct image *image);
void debug_info_close(struct debug_info *info);

/* One line for people: parts that were not found, and how to get them. NULL: none. */
const char *debug_info_missing(struct debug_info *info);

/* The linkage name of the function of an entry, searched through origins and specifications; else
 * its plain name; NULL: none. `die` is an offset in the unit's .debug_info, with DIE_IN_ALT for the
 * supplementary file. */
const char *debug_info_name(const struct debug_info *info, const struct dwarf_unit *unit,
                            uint64_t die);
/* The declaration line of the same entry, searched in the same way; 0: not known. */
uint32_t debug_info_line(const struct debug_info *info, const struct dwarf_unit *unit,
                         uint64_t die);
