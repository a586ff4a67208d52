#include "program/unwind/unwind_partial.h"

#include "base/memory.h"
#include "program/elf/image.h"
#include "program/unwind/unwind_build.h"
#include "program/unwind/unwind_entries.h"
#include "program/unwind/unwind_gap.h"
#include "program/unwind/unwind_sections.h"

#include <string.h>

struct unwind_function {
    uint64_t start, end;        /* svma */
    const struct unwind *table; /* its own, or one that a gap has for all its parts */
    struct unwind own;
};

enum { ROW_BYTES = 8 };

void unwind_partial_init(struct unwind_partial *partial, const struct image *image)
{
    struct unwind_header header;
    *partial = (struct unwind_partial){.image = image};
    if (!unwind_header_find(image, &header))
        return;
    partial->header = header.at;
    partial->rows = header.rows;
    partial->n_rows = header.n_rows;
    partial->section = header.section;
    partial->bytes = image_bytes(image, header.section, &partial->n_bytes);
    if (!partial->bytes)
        partial->n_rows = 0;
}

void unwind_partial_release(struct unwind_partial *partial)
{
    for (size_t i = 0; i < partial->n; i++) {
        unwind_release(&partial->at[i]->own);
        mem_free(partial->at[i]);
    }
    for (size_t i = 0; i < partial->gaps.n; i++) {
        unwind_gap_release(partial->gaps.at[i]);
        mem_free(partial->gaps.at[i]);
    }
    vec_release(&partial->gaps);
    if (partial->whole)
        unwind_release(partial->whole);
    mem_free(partial->whole);
    unwind_entries_release(&partial->others);
    vec_release(partial);
}

/* ---- the index */

static uint64_t row_word(const struct unwind_partial *partial, size_t row, size_t word)
{
    int32_t value;
    memcpy(&value, partial->rows + row * ROW_BYTES + word * sizeof value, sizeof value);
    return partial->header.v + (uint64_t)(int64_t)value;
}

/* How many rows are of code that starts at or before the address. */
static size_t rows_before(const struct unwind_partial *partial, struct svma at)
{
    size_t low = 0, high = partial->n_rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (row_word(partial, middle, 0) <= at.v)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool row_read(const struct unwind_partial *partial, size_t row,
                     struct unwind_entries *entries)
{
    struct unwind_section section = {.bytes = partial->bytes,
                                     .n = partial->n_bytes,
                                     .address = partial->section,
                                     .endless = true};
    uint64_t offset = row_word(partial, row, 1) - partial->section.v;
    return offset < partial->n_bytes && unwind_entries_read_one(entries, &section, offset) &&
           entries->n == 1;
}

/* ---- what is known around an address */

/* A stretch of code that one entry is about, or none. */
struct around {
    struct svma at;
    uint64_t start, end;
    struct unwind_entries entries; /* with that one, or without any */
};

static void around_keep_to(struct around *around, uint64_t start, uint64_t end)
{
    if (start > around->start)
        around->start = start;
    if (end < around->end)
        around->end = end;
}

/* True: the address lies in it. Else the stretch without entries starts behind it. */
static bool around_entry(struct around *around, const struct unwind_entry *entry)
{
    uint64_t start = entry->start.v, end = start + entry->bytes;
    bool inside = around->at.v - start < end - start;
    if (inside)
        around_keep_to(around, start, end);
    else if (end <= around->at.v)
        around_keep_to(around, end, UINT64_MAX);
    return inside;
}

static bool around_by_index(const struct unwind_partial *partial, struct around *around)
{
    size_t behind = rows_before(partial, around->at);
    if (behind)
        around_keep_to(around, row_word(partial, behind - 1, 0), UINT64_MAX);
    bool inside = behind && row_read(partial, behind - 1, &around->entries) &&
                  around_entry(around, &around->entries.at[0]);
    if (!inside) {
        unwind_entries_release(&around->entries);
        if (behind < partial->n_rows)
            around_keep_to(around, 0, row_word(partial, behind, 0));
    }
    return inside;
}

static void others_read(struct unwind_partial *partial)
{
    if (!partial->n_rows)
        unwind_entries_read_eh(&partial->others, partial->image);
    unwind_entries_read_debug(&partial->others, partial->image);
    unwind_entries_sort(&partial->others);
    partial->others_read = true;
}

/* The last that starts at or before the address, and of several the first: as a whole table has it.
 */
static bool around_by_others(struct unwind_partial *partial, struct around *around)
{
    if (!partial->others_read)
        others_read(partial);
    const struct unwind_entries *others = &partial->others;
    size_t low = 0, high = others->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (others->at[middle].start.v <= around->at.v)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < others->n)
        around_keep_to(around, 0, others->at[low].start.v);
    if (!low)
        return false;
    while (low > 1 && others->at[low - 2].start.v == others->at[low - 1].start.v)
        low--;
    const struct unwind_entry *entry = &others->at[low - 1];
    if (!around_entry(around, entry))
        return false;
    *vec_push(&around->entries) = *entry;
    around->entries.at[0].cie = 0;
    *vec_push(&around->entries.cies) = others->cies.at[entry->cie];
    return true;
}

/* ---- functions */

/* The first that ends behind the address. */
static size_t function_find(const struct unwind_partial *partial, struct svma at)
{
    size_t low = 0, high = partial->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (partial->at[middle]->end <= at.v)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct unwind_gap *gap_get(struct unwind_partial *partial, const struct around *around)
{
    for (size_t i = 0; i < partial->gaps.n; i++)
        if (around->at.v - partial->gaps.at[i]->low.v <
            partial->gaps.at[i]->high.v - partial->gaps.at[i]->low.v)
            return partial->gaps.at[i];
    struct unwind_gap *gap = mem_alloc(sizeof *gap);
    unwind_gap_init(gap, partial->image, (struct svma){around->start}, (struct svma){around->end});
    *vec_push(&partial->gaps) = gap;
    return gap;
}

/* Making its whole table takes no longer than reading a long stretch of code does. */
static bool image_small(const struct image *image)
{
    enum { SMALL_BYTES = 1 << 20 };
    uint64_t bytes = 0;
    for (size_t i = 0; i < image->segments.n; i++)
        if (image_executable(image, image->segments.at[i].start))
            bytes += image->segments.at[i].file_bytes;
    return bytes <= SMALL_BYTES;
}

static const struct unwind *nameless(struct unwind_partial *partial, struct unwind_gap *gap)
{
    if (!partial->whole && !image_small(partial->image))
        return unwind_gap_all(gap);
    if (!partial->whole) {
        partial->whole = mem_alloc(sizeof *partial->whole);
        unwind_build(partial->whole, partial->image);
    }
    return partial->whole;
}

static void function_fill(struct unwind_partial *partial, struct around *around,
                          struct unwind_function *function)
{
    function->table = &function->own;
    if (around->entries.n) {
        unwind_build_entries(&function->own, &around->entries, (struct svma){around->start});
        return;
    }
    struct unwind_gap *gap = gap_get(partial, around);
    struct gap_part part = unwind_gap_part(gap, around->at);
    around_keep_to(around, part.start.v, part.end.v);
    if (part.n)
        unwind_gap_read(gap, &part, &function->own);
    else
        function->table = nameless(partial, gap);
}

static const struct unwind *function_make(struct unwind_partial *partial, struct svma at,
                                          size_t place)
{
    /* Entries come from the file, and may overlap: what was asked for first keeps its code. */
    struct around around = {at, partial->image->segments.at[0].start.v, UINT64_MAX, {0}};
    if (!around_by_index(partial, &around))
        around_by_others(partial, &around);
    struct unwind_function *function = mem_alloc(sizeof *function);
    function_fill(partial, &around, function);
    around_keep_to(&around, place ? partial->at[place - 1]->end : 0,
                   place < partial->n ? partial->at[place]->start : UINT64_MAX);
    function->start = around.start;
    function->end = around.end;
    (void)vec_push(partial);
    memmove(partial->at + place + 1, partial->at + place,
            (partial->n - 1 - place) * sizeof *partial->at);
    partial->at[place] = function;
    unwind_entries_release(&around.entries);
    return function->table;
}

const struct unwind *unwind_partial_at(struct unwind_partial *partial, struct svma at)
{
    static const struct unwind nothing;
    size_t place = function_find(partial, at);
    if (place < partial->n && partial->at[place]->start <= at.v)
        return partial->at[place]->table;
    if (!image_executable(partial->image, at))
        return &nothing;
    return function_make(partial, at, place);
}
