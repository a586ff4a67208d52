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
    DWARF_CU_INDEX, /* of .dwp files: the part of each section for each unit */
    DWARF_SECTIONS_N,
};

struct dwarf_section {
    const uint8_t *at; /* in the file or in our arena */
    size_t n;
};

/* Damage: the first is kept, the rest counted. */
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

/* split: the sections of .dwo and .dwp files (".debug_info.dwo"). The file must outlive it. */
void dwarf_sections_read(struct dwarf_sections *sections, const struct elf_file *file, bool split);
void dwarf_sections_release(struct dwarf_sections *sections);

/* A cursor from an offset to the end of the section; bad if the offset lies outside. */
struct cursor dwarf_cursor(const struct dwarf_sections *sections, enum dwarf_section_id id,
                           uint64_t offset);
/* Longer strings count as broken: many entries may name one, and each reads it. */
enum { DWARF_STRING_MAX = 1 << 16 };
/* NULL: no string, or unterminated. */
const char *dwarf_string(const struct dwarf_sections *sections, enum dwarf_section_id id,
                         uint64_t offset);

void damage_note(struct dwarf_damage *damage, const char *section, uint64_t offset,
                 const char *reason);
/* Adds another damage record. */
void damage_add(struct dwarf_damage *damage, const struct dwarf_damage *other);
