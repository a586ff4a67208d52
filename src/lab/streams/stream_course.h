/* Files of tuples through designs of compressors: how errors and messages go as a stream goes on,
 * and whether what is claimed of them holds.
 *
 * A course is one design on one file; it has a trial at each end, a number of tuples. Ends are the
 * same for all files, as far as a file goes. */
#pragma once

#include "lab/lab.h"
#include "lab/streams/stream_error.h"

enum { COURSE_ENDS = 20, COURSE_TUPLES = 16 << 20 /* at most, of a file */ };

struct course {
    size_t n;
    size_t ends[COURSE_ENDS];
    double instructions; /* of a tuple; 0: not known */
    struct stream_trial trials[COURSE_ENDS];
};

struct courses {
    char *const *files;
    size_t n_files, n_designs;
    struct course *at; /* n_designs of each file */
};

typedef void courses_teller(struct lab_rows *rows, const struct courses *courses);
/* All files through all designs, then what `tell` makes of it; `kinds`: bits of enum tuple_kind. */
bool courses_fill(struct lab_rows *rows, char *const *files, size_t n, uint32_t kinds,
                  const char *const *designs, size_t n_designs, courses_teller *tell,
                  struct err *err);

const struct course *courses_of(const struct courses *courses, size_t file);
const struct stream_trial *course_last(const struct course *course);
/* After 200,000 tuples, or what there are. */
const struct stream_trial *course_early(const struct course *course);
double course_messages(const struct course *course); /* of 1000 tuples, in the end */
/* In the end, as the paper reckons it: 30 cycles a message, and here a cycle an instruction; in
 * percent, not a number: instructions are not known. */
double course_overhead(const struct course *course);
/* The first end whose error is at most that, and the first after which it stays so; 0: there is
 * none. */
size_t course_reaches(const struct course *course, double error);
size_t course_settles(const struct course *course, double error);

/* The file and its millions of tuples, with which rows begin. */
struct lab_row *course_row(struct lab_rows *rows, const char *file, double tuples);
void course_percent(struct lab_row *row, double share); /* not a number: empty */
/* Errors, then messages of a thousand tuples, of each design at each end; ends between those that
 * the paper speaks of, but for the last, are fine rows. */
void courses_show(struct lab_rows *rows, const struct courses *courses);

/* What is claimed, program by program. */
struct verdict {
    size_t holds;
    struct {
        VEC(double);
    } ours[2];
    char others[512]; /* for which it does not hold */
};
/* Two numbers that it is about; a program of which one is not a number says nothing. */
void verdict_add(struct verdict *verdict, const char *file, bool holds, double one, double other);
/* "WHAT: holds: 2 UNIT and 3 UNIT (PAPER)", with the medians of the two numbers; releases it. */
void verdict_tell(struct verdict *verdict, struct lab_rows *rows, const char *what,
                  const char *unit, const char *paper);
