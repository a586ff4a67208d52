/* Files of tuples through designs of compressors: how errors and messages go as a stream goes on,
 * and whether what is claimed of them holds.
 *
 * A curve is one design on one file; it has a trial at each end, a number of tuples. Ends are the
 * same for all files, as far as a file goes. */
#pragma once

#include "lab/table/table.h"
#include "lab/streams/stream_error.h"

enum { CURVE_ENDS = 20, CURVE_TUPLES = 16 << 20 /* at most, of a file */ };

struct stream_curve {
    size_t n;
    size_t ends[CURVE_ENDS];
    double instructions, cycles; /* of a tuple; 0: not known. Cycles are those of a modelled core */
    struct stream_trial trials[CURVE_ENDS];
};

struct stream_curves {
    char *const *files;
    size_t n_files, n_designs;
    struct stream_curve *at; /* n_designs of each file */
};

typedef void curves_teller(struct lab_rows *rows, const struct stream_curves *curves);
/* All files through all designs, then what `tell` makes of it; `kinds`: bits of enum tuple_kind. */
bool curves_fill(struct lab_rows *rows, char *const *files, size_t n, uint32_t kinds,
                 const char *const *designs, size_t n_designs, curves_teller *tell,
                 struct err *err);

/* One design, checked before, on one file: `runs` of it, and their means. */
void curve_run(struct stream_curve *curve, const struct tuples *tuples, uint32_t kinds,
               const char *design, uint32_t runs);

const struct stream_curve *curves_of(const struct stream_curves *curves, size_t file);
const struct stream_trial *curve_last(const struct stream_curve *curve);
/* After 200,000 tuples, or what there are. */
const struct stream_trial *curve_early(const struct stream_curve *curve);
double curve_messages(const struct stream_curve *curve); /* of 1000 tuples, in the end */
/* In the end, as the paper reckons it: 30 cycles a message, of cycles of the modelled core, or, if
 * the file was made without one, a cycle an instruction; in percent, not a number: neither is
 * known. */
double curve_overhead(const struct stream_curve *curve);
/* The first end whose error is at most that, and the first after which it stays so; 0: there is
 * none. */
size_t curve_reaches(const struct stream_curve *curve, double error);
size_t curve_settles(const struct stream_curve *curve, double error);

/* What percent of overhead are of. */
const char *curve_clock(const struct stream_curve *curve);

/* The file and its millions of tuples, with which rows begin. */
struct lab_row *curve_row(struct lab_rows *rows, const char *file, double tuples);
void curve_percent(struct lab_row *row, double share); /* not a number: empty */
/* Errors, then messages of a thousand tuples, of each design at each end; ends between those that
 * the paper speaks of, but for the last, are fine rows. */
void curves_show(struct lab_rows *rows, const struct stream_curves *curves);

struct curve_numbers {
    VEC(double);
};
double curve_median(struct curve_numbers *numbers); /* sorts them; not a number: there are none */

/* What is claimed, program by program. */
struct stream_claim {
    size_t holds;
    struct curve_numbers ours[2];
    char others[512]; /* for which it does not hold */
};
/* Two numbers that it is about; a program of which one is not a number says nothing. */
void claim_add(struct stream_claim *claim, const char *file, bool holds, double one, double other);
/* "WHAT: holds: 2 UNIT and 3 UNIT (PAPER)", with the medians of the two numbers; releases it. */
void claim_show(struct stream_claim *claim, struct lab_rows *rows, const char *what,
                const char *unit, const char *paper);
