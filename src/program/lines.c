#include "program/lines.h"

#include "base/map.h"
#include "program/image.h"
#include "program/symbols.h"

#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct lines *lines;
    const struct image *image;
    const struct symbols *symbols;
    struct map by_pointer; /* libdw gives one pointer for one file of one unit */
    struct file_ids {
        VEC(uint32_t);
    } ids;              /* for each of by_pointer */
    struct map by_hash; /* of the name; index into lines->files */
};

/* Units name the same headers again and again: one id for one name. */
static uint32_t file_intern(struct reader *reader, const char *name)
{
    struct line_files *files = &reader->lines->files;
    uint64_t hash = 0xCBF29CE484222325u;
    for (const char *at = name; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001B3u;
    uint32_t i;
    while ((i = map_add(&reader->by_hash, &hash)) < files->n && strcmp(files->at[i], name) != 0)
        hash++;
    if (i == files->n)
        *vec_push(files) = arena_string(&reader->lines->arena, name);
    return i;
}

static uint32_t file_id(struct reader *reader, const char *name)
{
    uint64_t key = (uintptr_t)name;
    uint32_t i = map_add(&reader->by_pointer, &key);
    if (i == reader->ids.n)
        *vec_push(&reader->ids) = file_intern(reader, name);
    return reader->ids.at[i];
}

static bool starts_function(const struct symbols *symbols, uint64_t at)
{
    function_id here = symbols_find(symbols, (struct svma){at});
    return here != FUNCTION_NONE && (!at || symbols_find(symbols, (struct svma){at - 1}) != here);
}

/* A row holds up to the next one. Of rows at one address the last holds; the others are empty. Rows
 * of sections that the linker dropped lie outside of the code.
 *
 * libdw sorts the end of a sequence before rows at its address. Such a row may start the next
 * sequence, or be the empty last row of the one that ended, which must not be stretched to whatever
 * comes next. Sequences start where functions do. */
static void unit_add(struct reader *reader, Dwarf_Lines *rows, size_t n)
{
    uint64_t ended_at = UINT64_MAX;
    for (size_t i = 0; i + 1 < n; i++) {
        Dwarf_Line *row = dwarf_onesrcline(rows, i), *after = dwarf_onesrcline(rows, i + 1);
        Dwarf_Addr start, end;
        bool is_end;
        int line;
        if (!row || !after || dwarf_lineaddr(row, &start) || dwarf_lineaddr(after, &end) ||
            dwarf_lineendsequence(row, &is_end))
            continue;
        if (is_end)
            ended_at = start;
        if (is_end || start >= end ||
            (start == ended_at && !starts_function(reader->symbols, start)))
            continue;
        const char *file = dwarf_linesrc(row, NULL, NULL);
        if (!file || dwarf_lineno(row, &line) ||
            !image_executable(reader->image, (struct svma){start}))
            continue;
        *vec_push(&reader->lines->ranges) =
            (struct line_range){start, end, file_id(reader, file), (uint32_t)line};
    }
}

/* By start; of equal ones the narrower last. */
static int range_order(const void *a, const void *b)
{
    const struct line_range *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Makes ranges disjoint: of two that claim a place (a damaged file, code folded by the linker) the
 * one that starts later has it. */
static void ranges_settle(struct lines *lines)
{
    struct line_ranges *ranges = &lines->ranges;
    if (!ranges->n)
        return;
    qsort(ranges->at, ranges->n, sizeof *ranges->at, range_order);
    size_t kept = 0;
    for (size_t i = 0; i < ranges->n; i++) {
        struct line_range range = ranges->at[i];
        if (kept && ranges->at[kept - 1].end > range.start)
            ranges->at[kept - 1].end = range.start;
        if (kept && ranges->at[kept - 1].end == ranges->at[kept - 1].start)
            kept--;
        ranges->at[kept++] = range;
    }
    ranges->n = kept;
}

static bool units_read(struct reader *reader, Elf *elf)
{
    Dwarf *dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
    if (!dwarf)
        return false;
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        Dwarf_Lines *rows;
        size_t n;
        if (dwarf_getsrclines(&die, &rows, &n) == 0)
            unit_add(reader, rows, n);
    }
    dwarf_end(dwarf);
    return reader->lines->ranges.n > 0;
}

void lines_read(struct lines *lines, const struct image *image, const struct symbols *symbols)
{
    *lines = (struct lines){0};
    struct reader reader = {.lines = lines, .image = image, .symbols = symbols};
    map_init(&reader.by_pointer, sizeof(uint64_t));
    map_init(&reader.by_hash, sizeof(uint64_t));
    if (!units_read(&reader, image->file.elf)) {
        map_release(&reader.by_pointer);
        reader.ids.n = 0;
        units_read(&reader, image->debug.elf);
    }
    ranges_settle(lines);
    map_release(&reader.by_pointer);
    map_release(&reader.by_hash);
    vec_release(&reader.ids);
}

void lines_release(struct lines *lines)
{
    vec_release(&lines->files);
    vec_release(&lines->ranges);
    arena_release(&lines->arena);
}

bool lines_find(const struct lines *lines, struct svma at, const char **ret_file,
                uint32_t *ret_line)
{
    size_t low = 0, high = lines->ranges.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lines->ranges.at[middle].start <= at.v)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || at.v >= lines->ranges.at[low - 1].end)
        return false;
    *ret_file = lines->files.at[lines->ranges.at[low - 1].file];
    *ret_line = lines->ranges.at[low - 1].line;
    return true;
}
