#include "program/unwind_partial.h"

#include "base/memory.h"
#include "program/image.h"
#include "program/unwind_build.h"
#include "program/unwind_entries.h"
#include "program/unwind_sections.h"

#include <string.h>

struct unwind_function {
    uint64_t start, end; /* svma */
    struct unwind unwind;
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
        unwind_release(&partial->at[i]->unwind);
        mem_free(partial->at[i]);
    }
    if (partial->whole)
        unwind_release(partial->whole);
    mem_free(partial->whole);
    vec_release(partial);
}

/* ---- the index */

static uint64_t row_word(const struct unwind_partial *partial, size_t row, size_t word)
{
    int32_t value;
    memcpy(&value, partial->rows + row * ROW_BYTES + word * sizeof value, sizeof value);
    return partial->header.v + (uint64_t)(int64_t)value;
}

/* The entry whose code starts last at or before the address; false: there is none. */
static bool row_find(const struct unwind_partial *partial, struct svma at, uint64_t *ret_entry)
{
    size_t low = 0, high = partial->n_rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (row_word(partial, middle, 0) <= at.v)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return false;
    *ret_entry = row_word(partial, low - 1, 1) - partial->section.v;
    return *ret_entry < partial->n_bytes;
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

/* Entries come from the file: what overlaps one that is known already is not believed. */
static const struct unwind *function_make(struct unwind_partial *partial, struct svma at,
                                          size_t place)
{
    struct unwind_entries entries = {0};
    struct unwind_section section = {.bytes = partial->bytes,
                                     .n = partial->n_bytes,
                                     .address = partial->section,
                                     .endless = true};
    uint64_t offset;
    bool found = row_find(partial, at, &offset) &&
                 unwind_entries_read_one(&entries, &section, offset) && entries.n == 1;
    uint64_t start = found ? entries.at[0].start.v : 0, end = start;
    if (found)
        end += entries.at[0].bytes;
    found = found && at.v - start < end - start &&
            (place == partial->n || end <= partial->at[place]->start) &&
            (!place || partial->at[place - 1]->end <= start);
    struct unwind_function *function = NULL;
    if (found) {
        function = mem_alloc(sizeof *function);
        function->start = start;
        function->end = end;
        unwind_build_entries(&function->unwind, &entries, (struct svma){start});
        (void)vec_push(partial);
        memmove(partial->at + place + 1, partial->at + place,
                (partial->n - 1 - place) * sizeof *partial->at);
        partial->at[place] = function;
    }
    unwind_entries_release(&entries);
    return function ? &function->unwind : NULL;
}

const struct unwind *unwind_partial_at(struct unwind_partial *partial, struct svma at)
{
    if (partial->whole)
        return partial->whole;
    size_t place = function_find(partial, at);
    if (place < partial->n && partial->at[place]->start <= at.v)
        return &partial->at[place]->unwind;
    const struct unwind *made = function_make(partial, at, place);
    if (made)
        return made;
    partial->whole = mem_alloc(sizeof *partial->whole);
    unwind_build(partial->whole, partial->image);
    return partial->whole;
}
