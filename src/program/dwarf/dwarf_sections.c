#include "program/dwarf/dwarf_sections.h"

#include "program/elf/elf_file.h"
#include "program/elf/elf_sections.h"

#include <stdio.h>
#include <zstd.h>

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

static const char *const names[DWARF_SECTIONS_N] = {
    [DWARF_INFO] = ".debug_info",
    [DWARF_ABBREV] = ".debug_abbrev",
    [DWARF_LINE] = ".debug_line",
    [DWARF_STR] = ".debug_str",
    [DWARF_LINE_STR] = ".debug_line_str",
    [DWARF_RANGES] = ".debug_ranges",
    [DWARF_RNGLISTS] = ".debug_rnglists",
    [DWARF_ADDR] = ".debug_addr",
    [DWARF_STR_OFFSETS] = ".debug_str_offsets",
    [DWARF_CU_INDEX] = ".debug_cu_index",
};

void damage_note(struct dwarf_damage *damage, const char *section, uint64_t offset,
                 const char *reason)
{
    if (!damage->n++) {
        damage->section = section;
        damage->offset = offset;
        damage->reason = reason;
    }
}

void damage_add(struct dwarf_damage *damage, const struct dwarf_damage *other)
{
    size_t n = damage->n;
    if (!n)
        *damage = *other;
    damage->n = n + other->n;
}

/* ---- compressed ones */

/* What zlib can make of a byte at most; zstd of text does not come near. Bounds what a few bytes
 * can make us allocate. */
enum { INFLATION_MAX = 1032 };

static bool section_unzstd(struct dwarf_sections *sections, struct dwarf_section *section)
{
    Elf64_Chdr header;
    memcpy(&header, section->at, sizeof header);
    uint8_t *whole = arena_alloc(&sections->arena, header.ch_size);
    size_t got = ZSTD_decompress(whole, header.ch_size, section->at + sizeof header,
                                 section->n - sizeof header);
    if (ZSTD_isError(got) || got != header.ch_size)
        return false;
    *section = (struct dwarf_section){whole, got};
    return true;
}

/* libelf knows zlib, and keeps what it makes. */
static bool section_unzlib(struct dwarf_section *section, Elf_Scn *scn, bool gnu)
{
    if ((gnu ? elf_compress_gnu(scn, 0, 0) : elf_compress(scn, 0, 0)) < 0)
        return false;
    Elf_Data *data = elf_getdata(scn, NULL);
    if (!data || !data->d_buf)
        return false;
    *section = (struct dwarf_section){data->d_buf, data->d_size};
    return true;
}

static uint64_t big_endian(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return __builtin_bswap64(value);
}

static bool section_expand(struct dwarf_sections *sections, struct dwarf_section *section,
                           Elf_Scn *scn, bool gnu)
{
    Elf64_Chdr header;
    if (section->n < (gnu ? 12 : sizeof header))
        return false;
    memcpy(&header, section->at, gnu ? 12 : sizeof header);
    uint64_t bytes = gnu ? big_endian(section->at + 4) : header.ch_size;
    if (bytes / INFLATION_MAX > section->n)
        return false;
    if (!gnu && header.ch_type == ELFCOMPRESS_ZSTD)
        return section_unzstd(sections, section);
    return section_unzlib(section, scn, gnu);
}

/* ---- finding them */

/* Which section a name means; gnu: ".zdebug_", compressed in the old way. */
static int section_id(const char *name, bool split, bool *ret_gnu)
{
    char plain[32];
    *ret_gnu = strncmp(name, ".zdebug_", 8) == 0;
    if (*ret_gnu) {
        snprintf(plain, sizeof plain, ".%s", name + 2);
        name = plain;
    }
    for (int id = 0; id < DWARF_SECTIONS_N; id++) {
        size_t length = strlen(names[id]);
        bool suffixed = split && id != DWARF_CU_INDEX;
        if (!strncmp(name, names[id], length) && !strcmp(name + length, suffixed ? ".dwo" : ""))
            return id;
    }
    return -1;
}

static void section_read(struct dwarf_sections *sections, const struct elf_file *file, Elf_Scn *scn,
                         const GElf_Shdr *header, int id, bool gnu)
{
    struct dwarf_section *section = &sections->at[id];
    if (header->sh_type == SHT_NOBITS || section->at)
        return;
    if (!elf_file_inside(file, header->sh_offset, header->sh_size)) {
        damage_note(&sections->damage, names[id], 0, "lies beyond the end of the file");
        return;
    }
    struct dwarf_section found = {file->bytes + header->sh_offset, header->sh_size};
    if ((gnu || (header->sh_flags & SHF_COMPRESSED)) &&
        !section_expand(sections, &found, scn, gnu)) {
        damage_note(&sections->damage, names[id], 0, "cannot be decompressed");
        return;
    }
    *section = found;
}

void dwarf_sections_read(struct dwarf_sections *sections, const struct elf_file *file, bool split)
{
    *sections = (struct dwarf_sections){0};
    GElf_Shdr header;
    for (Elf_Scn *scn = NULL; file->elf && (scn = elf_nextscn(file->elf, scn));) {
        bool gnu;
        int id = gelf_getshdr(scn, &header)
                     ? section_id(section_name(file->elf, &header), split, &gnu)
                     : -1;
        if (id >= 0)
            section_read(sections, file, scn, &header, id, gnu);
    }
}

void dwarf_sections_release(struct dwarf_sections *sections)
{
    arena_release(&sections->arena);
}

struct cursor dwarf_cursor(const struct dwarf_sections *sections, enum dwarf_section_id id,
                           uint64_t offset)
{
    static const uint8_t nothing[1];
    const struct dwarf_section *section = &sections->at[id];
    if (!section->at || offset > section->n)
        return (struct cursor){nothing, nothing, true};
    return (struct cursor){section->at + offset, section->at + section->n, false};
}

const char *dwarf_string(const struct dwarf_sections *sections, enum dwarf_section_id id,
                         uint64_t offset)
{
    struct cursor cursor = dwarf_cursor(sections, id, offset);
    if (cursor_room(&cursor) > DWARF_STRING_MAX)
        cursor.end = cursor.at + DWARF_STRING_MAX;
    return cursor_string(&cursor);
}
