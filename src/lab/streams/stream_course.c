#include "lab/streams/stream_course.h"

#include "base/err.h"
#include "compress/design.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 1, EARLY = 200000, MESSAGE_CYCLES = 30 };

static const struct {
    size_t tuples;
    bool told; /* a paper speaks of it */
} all_ends[] = {{50000, false},    {70000, false},    {100000, false},  {140000, false},
                {EARLY, true},     {300000, false},   {400000, false},  {500000, false},
                {700000, false},   {1000000, true},   {1400000, false}, {2000000, false},
                {3000000, false},  {4000000, true},   {5000000, false}, {7000000, false},
                {10000000, false}, {13000000, false}, {16000000, true}};
enum { ENDS = sizeof all_ends / sizeof *all_ends };
_Static_assert((int)ENDS <= (int)COURSE_ENDS, "room for all ends");

static void course_run(struct course *course, const struct tuples *tuples, const char *text)
{
    struct design design;
    size_t at;
    course->n = 0;
    course->instructions = tuples->n ? tuples->instructions / (double)tuples->n : 0;
    for (size_t i = 0; i < ENDS && all_ends[i].tuples <= tuples->n; i++)
        course->ends[course->n++] = all_ends[i].tuples;
    if (!course->n)
        course->ends[course->n++] = tuples->n;
    ASSERT(!design_parse(&design, text, &at));
    stream_trials(tuples, &design, SEED, course->ends, course->n, course->trials);
}

static bool courses_run(const struct courses *courses, uint32_t kinds, const char *const *designs,
                        struct err *err)
{
    for (size_t i = 0; i < courses->n_files; i++) {
        struct tuples tuples;
        if (!tuples_read(&tuples, courses->files[i], kinds, COURSE_TUPLES, err))
            return false;
        for (size_t d = 0; d < courses->n_designs; d++)
            course_run(&courses->at[i * courses->n_designs + d], &tuples, designs[d]);
        tuples_release(&tuples);
    }
    return true;
}

bool courses_fill(struct lab_rows *rows, char *const *files, size_t n, uint32_t kinds,
                  const char *const *designs, size_t n_designs, courses_teller *tell,
                  struct err *err)
{
    struct courses courses = {files, n, n_designs,
                              mem_alloc((n * n_designs + 1) * sizeof *courses.at)};
    bool good = courses_run(&courses, kinds, designs, err);
    if (good)
        tell(rows, &courses);
    mem_free(courses.at);
    return good;
}

const struct course *courses_of(const struct courses *courses, size_t file)
{
    return &courses->at[file * courses->n_designs];
}

const struct stream_trial *course_last(const struct course *course)
{
    return &course->trials[course->n - 1];
}

const struct stream_trial *course_early(const struct course *course)
{
    size_t i = 0;
    while (i + 1 < course->n && course->ends[i] < EARLY)
        i++;
    return &course->trials[i];
}

double course_messages(const struct course *course)
{
    size_t end = course->ends[course->n - 1];
    return end ? 1000 * (double)course_last(course)->messages / (double)end : 0;
}

double course_overhead(const struct course *course)
{
    return course->instructions > 0
               ? MESSAGE_CYCLES * course_messages(course) / 1000 / course->instructions * 100
               : (double)NAN;
}

size_t course_reaches(const struct course *course, double error)
{
    for (size_t i = 0; i < course->n; i++)
        if (course->trials[i].error <= error)
            return course->ends[i];
    return 0;
}

size_t course_settles(const struct course *course, double error)
{
    size_t i = course->n;
    while (i > 0 && course->trials[i - 1].error <= error)
        i--;
    return i < course->n ? course->ends[i] : 0;
}

struct lab_row *course_row(struct lab_rows *rows, const char *file, double tuples)
{
    struct lab_row *row = lab_row_add(rows);
    lab_text(row, lab_file_name(file));
    lab_cell(row, "%.3g", tuples / 1e6);
    return row;
}

void course_percent(struct lab_row *row, double share)
{
    if (isnan(share))
        lab_text(row, "");
    else
        lab_cell(row, "%.3f", 100 * share);
}

static bool is_told(const struct course *course, size_t i)
{
    if (i + 1 == course->n)
        return true;
    for (size_t k = 0; k < ENDS; k++)
        if (all_ends[k].tuples == course->ends[i])
            return all_ends[k].told;
    return true;
}

void courses_show(struct lab_rows *rows, const struct courses *courses)
{
    for (size_t file = 0; file < courses->n_files; file++) {
        const struct course *of = courses_of(courses, file);
        for (size_t i = 0; i < of->n; i++) {
            struct lab_row *row = course_row(rows, courses->files[file], (double)of->ends[i]);
            row->fine = !is_told(of, i);
            for (size_t d = 0; d < courses->n_designs; d++)
                course_percent(row, of[d].trials[i].error);
            for (size_t d = 0; d < courses->n_designs; d++)
                lab_cell(row, "%.3f",
                         of[d].ends[i]
                             ? 1000 * (double)of[d].trials[i].messages / (double)of[d].ends[i]
                             : 0);
        }
    }
}

void verdict_add(struct verdict *verdict, const char *file, bool holds, double one, double other)
{
    if (isnan(one) || isnan(other))
        return;
    *vec_push(&verdict->ours[0]) = one;
    *vec_push(&verdict->ours[1]) = other;
    verdict->holds += holds;
    size_t length = strlen(verdict->others);
    if (!holds)
        snprintf(verdict->others + length, sizeof verdict->others - length, "%s%s",
                 length ? ", " : "", lab_file_name(file));
}

static int number_order(const void *a, const void *b)
{
    double x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static double median(double *at, size_t n)
{
    qsort(at, n, sizeof *at, number_order);
    return n ? (at[(n - 1) / 2] + at[n / 2]) / 2 : (double)NAN;
}

static const char *number_text(char text[static 32], double number)
{
    snprintf(text, 32, fabs(number) < 100 ? "%.3g" : "%.0f", number);
    return text;
}

void verdict_tell(struct verdict *verdict, struct lab_rows *rows, const char *what,
                  const char *unit, const char *paper)
{
    size_t n = verdict->ours[0].n;
    char one[32], other[32], told[1024];
    number_text(one, median(verdict->ours[0].at, n));
    number_text(other, median(verdict->ours[1].at, n));
    if (!n)
        snprintf(told, sizeof told, "nothing here tells");
    else if (verdict->holds == n)
        snprintf(told, sizeof told, "holds: %s%s and %s%s", one, unit, other, unit);
    else if (verdict->holds)
        snprintf(told, sizeof told, "holds for %zu of %zu, not for %s: %s%s and %s%s",
                 verdict->holds, n, verdict->others, one, unit, other, unit);
    else
        snprintf(told, sizeof told, "does not hold: %s%s and %s%s", one, unit, other, unit);
    lab_claim(rows, "%s: %s (%s)", what, told, paper);
    vec_release(&verdict->ours[0]);
    vec_release(&verdict->ours[1]);
}
