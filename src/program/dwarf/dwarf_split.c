#include "program/dwarf/dwarf_split.h"

#include "base/err.h"
#include "program/dwarf/debug_info.h"
#include "program/elf/image.h"

#include <dwarf.h>
#include <libelf.h>
#include <string.h>

static struct debug_part *part_open(struct debug_info *info, const char *path)
{
    struct err ignored;
    struct elf_file file;
    if (!elf_file_map(&file, path, &ignored))
        return NULL;
    if (!elf_file_begin(&file, &ignored) || elf_kind(file.elf) != ELF_K_ELF) {
        elf_file_close(&file);
        return NULL;
    }
    struct debug_part *part = mem_alloc(sizeof *part);
    part->file = file;
    dwarf_sections_read(&part->sections, &part->file, true);
    abbrev_cache_init(&part->abbrevs);
    *vec_push(&info->split) = part;
    return part;
}

/* A unit takes from its skeleton what only the linked file knows. */
static void unit_adopt(struct dwarf_unit *unit, const struct dwarf_unit *skeleton)
{
    unit->comp_dir = skeleton->comp_dir;
    unit->low_pc = skeleton->low_pc;
    unit->stmt_list = skeleton->stmt_list;
    unit->addr_sections = skeleton->sections;
    unit->addr_base = skeleton->addr_base;
    unit->ranges_sections = skeleton->sections;
    unit->ranges_base = skeleton->ranges_base;
}

/* ---- packages */

/* Columns of the index of a package, by their number in version 2 (GNU) and 5. */
enum { COLUMN_INFO = 1, COLUMN_ABBREV = 3, COLUMN_STR_OFFSETS = 6, COLUMN_RNGLISTS = 8 };

/* A third of the slots is free, so nothing is that far from its place. */
enum { PROBES_MAX = 1024 };

struct package_index {
    uint32_t columns, units, slots;
    struct cursor hashes, rows, offsets, sizes;
};

/* False: there is none, or it makes no sense. */
static bool index_read(struct package_index *index, const struct dwarf_sections *sections)
{
    struct cursor cursor = dwarf_cursor(sections, DWARF_CU_INDEX, 0);
    uint32_t version = cursor_u32(&cursor);
    index->columns = cursor_u32(&cursor);
    index->units = cursor_u32(&cursor);
    index->slots = cursor_u32(&cursor);
    if (cursor.bad || (version != 2 && (version & 0xFFFF) != 5) || !index->slots ||
        (index->slots & (index->slots - 1)) || index->columns > 16)
        return false;
    uint64_t table = 4ull * index->columns * index->units;
    index->hashes = cursor;
    cursor_skip(&cursor, 8ull * index->slots);
    index->rows = cursor;
    cursor_skip(&cursor, 4ull * index->slots);
    index->offsets = cursor;
    cursor_skip(&cursor, 4ull * index->columns + table);
    index->sizes = cursor;
    cursor_skip(&cursor, table);
    return !cursor.bad;
}

static uint32_t row_find(const struct package_index *index, uint64_t id)
{
    uint32_t mask = index->slots - 1, slot = (uint32_t)id & mask;
    uint32_t step = ((uint32_t)(id >> 32) & mask) | 1;
    for (uint32_t tried = 0; tried < index->slots && tried < PROBES_MAX;
         tried++, slot = (slot + step) & mask) {
        uint64_t hash;
        uint32_t row;
        memcpy(&hash, index->hashes.at + 8ull * slot, 8);
        memcpy(&row, index->rows.at + 4ull * slot, 4);
        if (!row)
            return 0;
        if (hash == id)
            return row <= index->units ? row : 0;
    }
    return 0;
}

static bool package_find(struct dwarf_unit *ret_unit, struct debug_part *package,
                         const struct package_index *index, uint64_t id)
{
    uint32_t row = row_find(index, id);
    if (!row)
        return false;
    struct dwarf_part part = {0};
    uint64_t info = 0;
    for (uint32_t i = 0; i < index->columns; i++) {
        uint32_t column, offset;
        memcpy(&column, index->offsets.at + 4ull * i, 4);
        memcpy(&offset, index->offsets.at + 4ull * ((uint64_t)row * index->columns + i), 4);
        switch (column) {
        case COLUMN_INFO: info = offset; break;
        case COLUMN_ABBREV: part.abbrev = offset; break;
        case COLUMN_STR_OFFSETS: part.str_offsets = offset; break;
        case COLUMN_RNGLISTS: part.rnglists = offset; break;
        default: break;
        }
    }
    return dwarf_unit_read(ret_unit, &package->sections, &package->abbrevs, info, &part);
}

/* ---- single files */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Where the compiler put it, else beside the image. */
static struct debug_part *dwo_open(struct debug_info *info, const struct dwarf_unit *skeleton,
                                   const char *path)
{
    const char *name = skeleton->dwo_name;
    const char *built = name[0] == '/' || !skeleton->comp_dir
                            ? name
                            : arena_format(&info->arena, "%s/%s", skeleton->comp_dir, name);
    struct debug_part *part = part_open(info, built);
    if (part)
        return part;
    int folder = (int)(last_part(path) - path);
    return part_open(info, arena_format(&info->arena, "%.*s%s", folder, path, last_part(name)));
}

static bool dwo_find(struct debug_info *info, const struct dwarf_unit *skeleton, const char *path,
                     struct dwarf_unit *ret_unit)
{
    static const struct dwarf_part whole = {0};
    struct debug_part *part = dwo_open(info, skeleton, path);
    if (!part)
        return false;
    for (uint64_t at = 0; at < part->sections.at[DWARF_INFO].n; at = ret_unit->end)
        if (!dwarf_unit_read(ret_unit, &part->sections, &part->abbrevs, at, &whole) ||
            ret_unit->dwo_id == skeleton->dwo_id)
            return ret_unit->abbrevs && ret_unit->dwo_id == skeleton->dwo_id;
    return false;
}

/* ---- all */

static bool is_skeleton(const struct dwarf_unit *unit)
{
    return unit->abbrevs && unit->dwo_name && unit->dwo_id;
}

void dwarf_split_join(struct debug_info *info, const char *path)
{
    struct package_index index;
    struct debug_part *package = NULL;
    bool looked = false;
    for (size_t i = 0; i < info->main.units.n; i++) {
        const struct dwarf_unit *skeleton = &info->main.units.at[i];
        *vec_push(&info->units) = skeleton;
        if (!is_skeleton(skeleton))
            continue;
        if (!looked) {
            package = part_open(info, arena_format(&info->arena, "%s.dwp", info->image->path));
            if (package && !index_read(&index, &package->sections))
                package = NULL;
            looked = true;
        }
        struct dwarf_unit unit;
        if ((package && package_find(&unit, package, &index, skeleton->dwo_id)) ||
            (!package && dwo_find(info, skeleton, path, &unit))) {
            unit_adopt(&unit, skeleton);
            struct dwarf_unit *kept = arena_alloc(&info->arena, sizeof *kept);
            *kept = unit;
            info->units.at[info->units.n - 1] = kept;
        } else if (!info->n_split_missing++) {
            info->split_missing = skeleton->dwo_name;
        }
    }
}
