/* A table of `gait lab`: one row per recording, or rows from streams of tuples or a modelled run,
 * with the claims of its paper.
 *
 * A table names its columns and fills a row for each recording. Where recordings are compared, the
 * first is the base. Cells are text or numbers; what a recording lacks is an empty cell. */
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
    bool fine; /* a point for curves and csv, not shown in text */
};

/* One mark of a scatter plot: an instruction, as a rule. */
struct lab_point {
    const char *series, *name;
    double x, y;
};

/* What its axes are. */
struct lab_scatter {
    const char *x, *y, *name;
    double y_most;     /* points above it are drawn at it; 0: the largest y */
    bool by_magnitude; /* x by its logarithm */
    bool envelope;     /* with 1 +- 1/sqrt(x) */
};

/* What the command line asks of a table besides files. */
struct lab_request {
    const char *const *designs; /* compressors, as compress/design.h writes them */
    size_t n_designs;
    uint32_t runs; /* of each design; 0: one */
    double hot;    /* percent of all that what is hot has at least; 0: as usual */
};

struct lab_rows {
    struct arena arena;
    const struct lab_table *table;
    struct lab_request request;
    VEC(struct lab_row);
    struct lab_points {
        VEC(struct lab_point);
    } points;
    struct {
        VEC(const char *);
    } claims; /* sentences below the table: each claim, and whether it holds */
};

/* One recording with its binaries. */
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
    /* Whether a recording has the data for a row; else why not. NULL: always. */
    bool (*has)(const struct profile *profile, const char *file, struct err *err);
    void (*fill)(struct lab_row *row, const struct lab_recording *recording,
                 const struct lab_recording *base);
    /* Or: rows from all recordings at once. */
    bool (*recordings)(struct lab_rows *rows, const struct lab_recording *all, size_t n,
                       struct err *err);
    /* Or: rows from files of tuples (record --dump-stream); `alone`: needs no file. */
    bool (*streams)(struct lab_rows *rows, char *const *files, size_t n, struct err *err);
    bool alone;
    bool designs; /* --design says of which compressors */
    bool runs;    /* --runs says how many of each */
    bool hot;     /* --hot says what is */
    /* Or: rows from a command that is run through a model, for `steps` of its instructions by
     * default. */
    bool (*modelled)(struct lab_rows *rows, const struct modelled_run *run, struct err *err);
    uint64_t steps;
    const struct lab_scatter *scatter; /* it has points; NULL: none */
    bool curves; /* rows of one name are points of curves: x is the second column, y the others */
};

struct lab_row *lab_row_add(struct lab_rows *rows);
__attribute__((format(printf, 2, 3))) void lab_claim(struct lab_rows *rows, const char *format,
                                                     ...);
/* The series must outlive the rows; the name is copied. */
void lab_point(struct lab_rows *rows, const char *series, const char *name, double x, double y);
/* Without its folder. */
const char *lab_file_name(const char *path);
void lab_text(struct lab_row *row, const char *text);
__attribute__((format(printf, 2, 3))) void lab_cell(struct lab_row *row, const char *format, ...);
/* "12.3%" of a whole, which may be 0. */
void lab_share(struct lab_row *row, double part, double whole);
