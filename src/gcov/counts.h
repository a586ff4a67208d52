/* A .gcda file: the counters of the functions of one compilation, read and written.
 *
 * The output equals libgcov's: counters that are all zero are stored as their number. Reading and
 * writing a file of the same version gives the same bytes. */
#pragma once

#include "base/vec.h"
#include "gcov/format.h"

#include <stddef.h>

/* Value counters follow those of arcs. Targets of indirect calls and most frequent values (TOPN):
 * total, number of pairs, then value and count of each. */
enum counts_kind {
    COUNTS_ARCS,
    COUNTS_INTERVAL,
    COUNTS_POW2,
    COUNTS_TOPN,
    COUNTS_INDIRECT,
    COUNTS_AVERAGE,
    COUNTS_IOR,
    COUNTS_TIME, /* order of first execution of functions */
    COUNTS_CONDITIONS,
    COUNTS_KINDS
};

struct counts_row {
    bool there; /* its record is in the file, perhaps empty */
    VEC(uint64_t);
};

struct counts_function {
    uint32_t ident, lineno_checksum, cfg_checksum;
    bool empty; /* listed without counters: another object has them */
    struct counts_row rows[COUNTS_KINDS];
};

struct counts {
    struct gcov_head head;
    uint32_t runs, sum_max; /* sum_max: largest arc counter of the whole program */
    struct counts_functions {
        VEC(struct counts_function); /* in the file's order */
    } functions;
};

bool counts_parse(struct counts *counts, const uint8_t *bytes, size_t n, struct err *err);
bool counts_read(struct counts *counts, const char *path, struct err *err);
void counts_release(struct counts *counts);

/* The function with that number, NULL: none. */
const struct counts_function *counts_find(const struct counts *counts, uint32_t ident);

struct counts_bytes {
    VEC(uint8_t);
};
/* In the format of head.version. */
void counts_encode(const struct counts *counts, struct counts_bytes *bytes);
