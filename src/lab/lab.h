/* Tables of the papers that gait grew from, made of recordings: one row a recording.
 *
 * A table names its columns and fills a row of each recording; the first recording is the base where one is compared with another. Cells are
 * text or numbers; what a recording does not have is an empty cell. */
#pragma once

#include "base/memory.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;
struct scene;

struct lab_row {
    struct arena *arena;
    struct lab_cells {
        VEC(const char *);
    } cells;
};

/* One recording, set against its binaries. */
struct lab_recording {
    const char *file;
    const struct profile *profile;
    struct scene *scene;
    uint64_t file_bytes;
};

struct lab_table {
    const char *name;           /* "paths-4" */
    const char *title;          /* what it shows */
    const char *const *columns; /* NULL last; the first is the file */
    void (*fill)(struct lab_row *row, const struct lab_recording *recording,
                 const struct lab_recording *base);
};

/* NULL: there is none of that name. */
const struct lab_table *lab_table_find(const char *name);
/* All, NULL last. */
extern const struct lab_table *const lab_tables[];

void lab_text(struct lab_row *row, const char *text);
__attribute__((format(printf, 2, 3))) void lab_cell(struct lab_row *row, const char *format, ...);
/* "12.3%" of a whole, which may be 0. */
void lab_share(struct lab_row *row, double part, double whole);
