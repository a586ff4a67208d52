/* Tables of the papers that gait grew from, made of recordings: one row a recording; or of streams
 * of tuples, with what the paper claims.
 *
 * A table names its columns and fills a row of each recording; the first recording is the base
 * where one is compared with another. Cells are text or numbers; what a recording does not have is
 * an empty cell. */
#pragma once

#include "base/memory.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct profile;
struct scene;
struct lab_table;
struct modelled_run;

struct lab_row {
    struct arena *arena;
    struct lab_cells {
        VEC(const char *);
    } cells;
    bool fine; /* a point between others: for curves and for csv, and not for a text */
};

struct lab_rows {
    struct arena arena;
    const struct lab_table *table;
    VEC(struct lab_row);
    struct {
        VEC(const char *);
    } claims; /* sentences for below the table: what is claimed, and whether it holds */
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
    /* Whether a recording has what a row is made of; else why not. NULL: every one has. */
    bool (*has)(const struct profile *profile, const char *file, struct err *err);
    void (*fill)(struct lab_row *row, const struct lab_recording *recording,
                 const struct lab_recording *base);
    /* Or of all of them at once: rows as they come. */
    bool (*recordings)(struct lab_rows *rows, const struct lab_recording *all, size_t n,
                       struct err *err);
    /* Instead of that, of files of tuples (record --dump-stream), all at once; `alone`: of none. */
    bool (*streams)(struct lab_rows *rows, char *const *files, size_t n, struct err *err);
    bool alone;
    /* Instead of that, of a command that is run; of so many of its instructions, unless others are
     * asked for. */
    bool (*modelled)(struct lab_rows *rows, const struct modelled_run *run, struct err *err);
    uint64_t steps;
    bool curves; /* rows of one name are points of curves: the second column is how far, the others
                    how much */
};

struct lab_row *lab_row_add(struct lab_rows *rows);
__attribute__((format(printf, 2, 3))) void lab_claim(struct lab_rows *rows, const char *format,
                                                     ...);
/* Without its folder. */
const char *lab_file_name(const char *path);
void lab_text(struct lab_row *row, const char *text);
__attribute__((format(printf, 2, 3))) void lab_cell(struct lab_row *row, const char *format, ...);
/* "12.3%" of a whole, which may be 0. */
void lab_share(struct lab_row *row, double part, double whole);
