#include "lab/streams/stream_curves.h"

#include "base/err.h"
#include "compress/design.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EARLY = 200000, MESSAGE_CYCLES = 30 };

static const struct {
    size_t tuples;
    bool told; /* a paper speaks of it */
} all_ends[] = {{50000, false},    {70000, false},    {100000, false},  {140000, false},
                {EARLY, true},     {300000, false},   {400000, false},  {500000, false},
                {700000, false},   {1000000, true},   {1400000, false}, {2000000, false},
                {3000000, false},  {4000000, true},   {5000000, false}, {7000000, false},
                {10000000, false}, {13000000, false}, {16000000, true}};
enum { ENDS = sizeof all_ends / sizeof *all_ends };
_Static_assert((int)ENDS <= (int)CURVE_ENDS, "room for all ends");

static void ends_choose(struct stream_curve *curve, const struct tuples *tuples)
{
    curve->n = 0;
    for (size_t i = 0; i < ENDS && all_ends[i].tuples <= tuples->n; i++)
        curve->ends[curve->n++] = all_ends[i].tuples;
    if (!curve->n)
        curve->ends[curve->n++] = tuples->n;
}

/* Means of all runs, and how far their errors are apart. */
static void trial_mean(struct stream_trial *mean, const struct stream_trial *of, size_t apart,
                       uint32_t runs)
{
    double sum = 0, squares = 0;
    uint64_t messages = 0, left_out = 0;
    for (uint32_t run = 0; run < runs; run++) {
        sum += of[run * apart].error;
        messages += of[run * apart].messages;
        left_out += of[run * apart].left_out;
    }
    for (uint32_t run = 0; run < runs; run++)
        squares += (of[run * apart].error - sum / runs) * (of[run * apart].error - sum / runs);
    *mean = (struct stream_trial){sum / runs, (messages + runs / 2) / runs, left_out / runs,
                                  runs > 1 ? sqrt(squares / (runs - 1)) : 0};
}

void curve_run(struct stream_curve *curve, const struct tuples *tuples, uint32_t kinds,
               const char *text, uint32_t runs)
{
    struct design design;
    size_t at;
    ASSERT(!design_parse(&design, text, &at));
    curve->instructions = tuples->n ? tuples->instructions / (double)tuples->n : 0;
    curve->cycles = tuples->n ? tuples->cycles / (double)tuples->n : 0;
    ends_choose(curve, tuples);
    struct stream_trial *all = mem_alloc(runs * curve->n * sizeof *all);
    for (uint32_t run = 0; run < runs; run++)
        stream_trials(tuples, kinds, &design, run, curve->ends, curve->n, &all[run * curve->n]);
    for (size_t i = 0; i < curve->n; i++)
        trial_mean(&curve->trials[i], &all[i], curve->n, runs);
    mem_free(all);
}

static bool curves_run(const struct stream_curves *curves, uint32_t kinds,
                       const char *const *designs, uint32_t runs, struct err *err)
{
    for (size_t i = 0; i < curves->n_files; i++) {
        struct tuples tuples;
        if (!tuples_read(&tuples, curves->files[i], kinds, CURVE_TUPLES, err))
            return false;
        for (size_t d = 0; d < curves->n_designs; d++)
            curve_run(&curves->at[i * curves->n_designs + d], &tuples, kinds, designs[d], runs);
        tuples_release(&tuples);
    }
    return true;
}

/* How far runs of one design are apart: medians of all files. */
static void spread_show(struct lab_rows *rows, const struct stream_curves *curves,
                        const char *const *designs, uint32_t runs)
{
    char told[512] = "";
    for (size_t d = 0; d < curves->n_designs; d++) {
        struct curve_numbers spreads = {0};
        for (size_t i = 0; i < curves->n_files; i++)
            if (!isnan(curve_last(&curves_of(curves, i)[d])->spread))
                *vec_push(&spreads) = 100 * curve_last(&curves_of(curves, i)[d])->spread;
        size_t length = strlen(told);
        snprintf(told + length, sizeof told - length, "%s%s %.2g", length ? ", " : "", designs[d],
                 curve_median(&spreads));
        vec_release(&spreads);
    }
    lab_claim(rows,
              "errors are means of %u runs that begin at other tuples; standard deviation of one "
              "run in the end, in points: %s (median of the programs)",
              runs, told);
}

bool curves_fill(struct lab_rows *rows, char *const *files, size_t n, uint32_t kinds,
                 const char *const *designs, size_t n_designs, curves_teller *tell, struct err *err)
{
    uint32_t runs = rows->request.runs ? rows->request.runs : 1;
    struct stream_curves curves = {files, n, n_designs,
                                   mem_alloc((n * n_designs + 1) * sizeof *curves.at)};
    bool good = curves_run(&curves, kinds, designs, runs, err);
    if (good)
        tell(rows, &curves);
    if (good && runs > 1)
        spread_show(rows, &curves, designs, runs);
    mem_free(curves.at);
    return good;
}

const struct stream_curve *curves_of(const struct stream_curves *curves, size_t file)
{
    return &curves->at[file * curves->n_designs];
}

const struct stream_trial *curve_last(const struct stream_curve *curve)
{
    return &curve->trials[curve->n - 1];
}

const struct stream_trial *curve_early(const struct stream_curve *curve)
{
    size_t i = 0;
    while (i + 1 < curve->n && curve->ends[i] < EARLY)
        i++;
    return &curve->trials[i];
}

double curve_messages(const struct stream_curve *curve)
{
    size_t end = curve->ends[curve->n - 1];
    return end ? 1000 * (double)curve_last(curve)->messages / (double)end : 0;
}

double curve_overhead(const struct stream_curve *curve)
{
    double cycles = curve->cycles > 0 ? curve->cycles : curve->instructions;
    return cycles > 0 ? MESSAGE_CYCLES * curve_messages(curve) / 1000 / cycles * 100 : (double)NAN;
}

const char *curve_clock(const struct stream_curve *curve)
{
    return curve->cycles > 0 ? "cycles of a modelled core" : "a cycle an instruction";
}

size_t curve_reaches(const struct stream_curve *curve, double error)
{
    for (size_t i = 0; i < curve->n; i++)
        if (curve->trials[i].error <= error)
            return curve->ends[i];
    return 0;
}

size_t curve_settles(const struct stream_curve *curve, double error)
{
    size_t i = curve->n;
    while (i > 0 && curve->trials[i - 1].error <= error)
        i--;
    return i < curve->n ? curve->ends[i] : 0;
}

struct lab_row *curve_row(struct lab_rows *rows, const char *file, double tuples)
{
    struct lab_row *row = lab_row_add(rows);
    lab_text(row, lab_file_name(file));
    lab_cell(row, "%.3g", tuples / 1e6);
    return row;
}

void curve_percent(struct lab_row *row, double share)
{
    if (isnan(share))
        lab_text(row, "");
    else
        lab_cell(row, "%.3f", 100 * share);
}

static bool is_told(const struct stream_curve *curve, size_t i)
{
    if (i + 1 == curve->n)
        return true;
    for (size_t k = 0; k < ENDS; k++)
        if (all_ends[k].tuples == curve->ends[i])
            return all_ends[k].told;
    return true;
}

void curves_show(struct lab_rows *rows, const struct stream_curves *curves)
{
    for (size_t file = 0; file < curves->n_files; file++) {
        const struct stream_curve *of = curves_of(curves, file);
        for (size_t i = 0; i < of->n; i++) {
            struct lab_row *row = curve_row(rows, curves->files[file], (double)of->ends[i]);
            row->fine = !is_told(of, i);
            for (size_t d = 0; d < curves->n_designs; d++)
                curve_percent(row, of[d].trials[i].error);
            for (size_t d = 0; d < curves->n_designs; d++)
                lab_cell(row, "%.3f",
                         of[d].ends[i]
                             ? 1000 * (double)of[d].trials[i].messages / (double)of[d].ends[i]
                             : 0);
        }
    }
}

void claim_add(struct stream_claim *claim, const char *file, bool holds, double one, double other)
{
    if (isnan(one) || isnan(other))
        return;
    *vec_push(&claim->ours[0]) = one;
    *vec_push(&claim->ours[1]) = other;
    claim->holds += holds;
    size_t length = strlen(claim->others);
    if (!holds)
        snprintf(claim->others + length, sizeof claim->others - length, "%s%s", length ? ", " : "",
                 lab_file_name(file));
}

static int number_order(const void *a, const void *b)
{
    double x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

double curve_median(struct curve_numbers *numbers)
{
    size_t n = numbers->n;
    if (!n)
        return (double)NAN;
    qsort(numbers->at, n, sizeof *numbers->at, number_order);
    return (numbers->at[(n - 1) / 2] + numbers->at[n / 2]) / 2;
}

static const char *number_text(char text[static 32], double number)
{
    snprintf(text, 32, fabs(number) < 100 ? "%.3g" : "%.0f", number);
    return text;
}

void claim_show(struct stream_claim *claim, struct lab_rows *rows, const char *what,
                const char *unit, const char *paper)
{
    size_t n = claim->ours[0].n;
    char one[32], other[32], told[1024];
    number_text(one, curve_median(&claim->ours[0]));
    number_text(other, curve_median(&claim->ours[1]));
    if (!n)
        snprintf(told, sizeof told, "nothing here tells");
    else if (claim->holds == n)
        snprintf(told, sizeof told, "holds: %s%s and %s%s", one, unit, other, unit);
    else if (claim->holds)
        snprintf(told, sizeof told, "holds for %zu of %zu, not for %s: %s%s and %s%s", claim->holds,
                 n, claim->others, one, unit, other, unit);
    else
        snprintf(told, sizeof told, "does not hold: %s%s and %s%s", one, unit, other, unit);
    lab_claim(rows, "%s: %s (%s)", what, told, paper);
    vec_release(&claim->ours[0]);
    vec_release(&claim->ours[1]);
}
