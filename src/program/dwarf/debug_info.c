#include "program/dwarf/debug_info.h"

#include "program/dwarf/debug_alt.h"
#include "program/dwarf/dwarf_split.h"
#include "program/elf/image.h"

/* ---- opening */

static void part_read(struct debug_part *part, const struct elf_file *file)
{
    dwarf_sections_read(&part->sections, file, false);
    abbrev_cache_init(&part->abbrevs);
    dwarf_units_read(&part->units, &part->sections, &part->abbrevs);
}

static void part_release(struct debug_part *part)
{
    vec_release(&part->units);
    abbrev_cache_release(&part->abbrevs);
    dwarf_sections_release(&part->sections);
    elf_file_close(&part->file);
}

static void damage_take(struct debug_info *info, const struct debug_part *part, const char *path)
{
    if (part->sections.damage.n && !info->damage.n)
        info->damaged_file = path;
    damage_add(&info->damage, &part->sections.damage);
}

void debug_info_open(struct debug_info *info, const struct image *image)
{
    *info = (struct debug_info){.image = image};
    part_read(&info->main, &image->file);
    const char *path = image->path;
    const struct elf_file *file = &image->file;
    if (!info->main.units.n && image->debug.elf) {
        part_release(&info->main);
        info->main = (struct debug_part){0};
        part_read(&info->main, &image->debug);
        path = image->search.path;
        file = &image->debug;
    }
    info->path = path;
    damage_take(info, &info->main, path);
    const char *alt_path = debug_alt_open(&info->alt.file, &info->arena, file, path);
    if (info->alt.file.elf) {
        part_read(&info->alt, &info->alt.file);
        damage_take(info, &info->alt, alt_path);
    } else {
        info->alt_missing = alt_path;
    }
    dwarf_split_join(info, path);
}

void debug_info_close(struct debug_info *info)
{
    for (size_t i = 0; i < info->split.n; i++) {
        part_release(info->split.at[i]);
        mem_free(info->split.at[i]);
    }
    vec_release(&info->split);
    vec_release(&info->units);
    part_release(&info->main);
    part_release(&info->alt);
    arena_release(&info->arena);
}

const char *debug_info_missing(struct debug_info *info)
{
    if (info->n_split_missing)
        return arena_format(
            &info->arena,
            "%zu .dwo files are missing, first %s: inlined functions are not known; "
            "keep them, or pack them into %s.dwp",
            info->n_split_missing, info->split_missing, info->image->path);
    if (info->alt_missing)
        return arena_format(&info->arena,
                            "%s is missing, which has names of inlined functions: it comes with "
                            "the -dbgsym package",
                            info->alt_missing);
    return NULL;
}

/* ---- names */

/* Longer chains of origins and specifications lead in circles. */
enum { CHAIN_MAX = 16 };

/* The unit that has an entry. Split units refer to nothing but themselves. */
static const struct dwarf_unit *unit_of(const struct debug_info *info,
                                        const struct dwarf_unit *from, uint64_t *die)
{
    if (*die & DIE_IN_ALT) {
        *die &= ~DIE_IN_ALT;
        return dwarf_units_find(&info->alt.units, *die);
    }
    if (*die >= from->offset && *die < from->end)
        return from;
    if (from->sections == &info->main.sections)
        return dwarf_units_find(&info->main.units, *die);
    return from->sections == &info->alt.sections ? dwarf_units_find(&info->alt.units, *die) : NULL;
}

/* The next entry of the chain, or OFFSET_NONE. */
static uint64_t chain_next(const struct dwarf_unit *unit, const struct die *die)
{
    uint64_t next = die_reference(unit, die, DIE_ORIGIN);
    return next != OFFSET_NONE ? next : die_reference(unit, die, DIE_SPECIFICATION);
}

const char *debug_info_name(const struct debug_info *info, const struct dwarf_unit *unit,
                            uint64_t die_offset)
{
    const char *plain = NULL;
    for (int i = 0; i < CHAIN_MAX && die_offset != OFFSET_NONE; i++) {
        struct die die;
        unit = unit_of(info, unit, &die_offset);
        if (!unit || !die_read_at(unit, die_offset, &die))
            break;
        const char *linkage = die_string(unit, &die, DIE_LINKAGE, &info->alt.sections);
        if (linkage)
            return linkage;
        if (!plain)
            plain = die_string(unit, &die, DIE_NAME, &info->alt.sections);
        die_offset = chain_next(unit, &die);
    }
    return plain;
}

uint32_t debug_info_line(const struct debug_info *info, const struct dwarf_unit *unit,
                         uint64_t die_offset)
{
    for (int i = 0; i < CHAIN_MAX && die_offset != OFFSET_NONE; i++) {
        struct die die;
        unit = unit_of(info, unit, &die_offset);
        if (!unit || !die_read_at(unit, die_offset, &die))
            break;
        if (die_has(&die, DIE_DECL_LINE))
            return (uint32_t)die.value[DIE_DECL_LINE];
        die_offset = chain_next(unit, &die);
    }
    return 0;
}
