/* The DWARF sections of one ELF file, uncompressed. */
#pragma once

#include "base/memory.h"
#include "base/cursor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;

enum dwarf_section_id {
    DWARF_INFO,
    DWARF_ABBREV,
    DWARF_LINE,
    DWARF_STR,
    DWARF_LINE_STR,
    DWARF_RANGES,
    DWARF_RNGLISTS,
    DWARF_ADDR,
    DWARF_STR_OFFSETS,
    DWARF_CU_INDEX, /* of .dwp files: which unit has which part of each section */
    DWARF_SECTIONS_N,
};

struct dwarf_section {
    const uint8_t *at; /* in the file or in our arena */
    size_t n;
};

/* Something that made no sense; the first is kept and the rest counted. */
struct dwarf_damage {
    const char *section, *reason; /* never freed */
    uint64_t offset;
    size_t n;
};

struct dwarf_sections {
    struct arena arena;
    struct dwarf_section at[DWARF_SECTIONS_N];
    struct dwarf_damage damage;
};

/* split: those of .dwo and .dwp files, called ".debug_info.dwo" and so on. The file must outlive
 * it. */
void dwarf_sections_read(struct dwarf_sections *sections, const struct elf_file *file, bool split);
void dwarf_sections_release(struct dwarf_sections *sections);

/* From an offset to the end of the section; bad from the start if it lies outside. */
struct cursor dwarf_cursor(const struct dwarf_sections *sections, enum dwarf_section_id id,
                           uint64_t offset);
/* Longer strings are taken for broken: many entries may name one, and each reads it. */
enum { DWARF_STRING_MAX = 1 << 16 };
/* NULL: there is no string, or it does not end. */
const char *dwarf_string(const struct dwarf_sections *sections, enum dwarf_section_id id,
                         uint64_t offset);

void damage_note(struct dwarf_damage *damage, const char *section, uint64_t offset,
                 const char *reason);
/* Adds what another one noted. */
void damage_add(struct dwarf_damage *damage, const struct dwarf_damage *other);
