/* Figures 7 and 8: load value profiles by five compressors; how soon each is near, and how far the
 * rate may fall. */
#include "lab/streams/stream_curves.h"
#include "lab/streams/streams.h"

#include <math.h>

enum { LOADS = 1 << TUPLE_VALUE };

/* ---- Figure 7: errors and messages as a program goes on */

static const char *const error_designs[] = {"R256", "P256", "H[P256]2048", "H[P512]2048",
                                            "T2[256]2048x2"};
enum { RANDOM, PERIODIC, SPLIT, SPLIT_512, TAGGED, ERROR_DESIGNS };

static void errors_claim(struct lab_rows *rows, const struct stream_curves *curves)
{
    struct stream_claim faster = {0}, half = {0}, best = {0}, three = {0}, equal = {0};
    for (size_t i = 0; i < curves->n_files; i++) {
        const char *file = curves->files[i];
        const struct stream_curve *of = curves_of(curves, i);
        double early[ERROR_DESIGNS], end[ERROR_DESIGNS];
        for (size_t d = 0; d < ERROR_DESIGNS; d++) {
            early[d] = 100 * curve_early(&of[d])->error;
            end[d] = 100 * curve_last(&of[d])->error;
        }
        claim_add(&faster, file, early[SPLIT] < early[RANDOM], early[SPLIT], early[RANDOM]);
        claim_add(&half, file, end[SPLIT_512] <= end[RANDOM], end[SPLIT_512], end[RANDOM]);
        claim_add(&best, file, end[TAGGED] <= end[SPLIT], end[TAGGED], end[SPLIT]);
        claim_add(&three, file, end[SPLIT] < 3, end[SPLIT], end[RANDOM]);
        claim_add(&equal, file, fabs(end[PERIODIC] - end[RANDOM]) < 1, end[PERIODIC], end[RANDOM]);
    }
    claim_show(&faster, rows,
               "stratified periodic sampling is nearer than random sampling after 200,000 loads",
               " %", "the paper: gcc 5 % then, random sampling only after 600,000");
    claim_show(&half, rows, "with half the messages it is as near as random sampling in the end",
               " %", "the paper: gcc alike");
    claim_show(&best, rows, "the tagged table has less error than stratified sampling", " %",
               "the paper: of gcc the least of all");
    claim_show(&three, rows, "stratified periodic sampling comes below 3 %", " %",
               "random sampling second; the paper: gcc below 3 %");
    claim_show(&equal, rows, "periodic and random sampling differ by less than a point", " %",
               "the paper: gcc the same");
}

static void messages_claim(struct lab_rows *rows, const struct stream_curves *curves)
{
    struct stream_claim dear = {0}, fewer = {0}, cheap = {0};
    for (size_t i = 0; i < curves->n_files; i++) {
        const struct stream_curve *of = curves_of(curves, i);
        double random = curve_messages(&of[RANDOM]), split = curve_messages(&of[SPLIT]),
               tagged = curve_messages(&of[TAGGED]);
        claim_add(&dear, curves->files[i], tagged >= 2 * split, tagged, split);
        claim_add(&fewer, curves->files[i], split <= random, split, random);
        claim_add(&cheap, curves->files[i],
                  curve_last(&of[SPLIT])->error < 0.03 && curve_overhead(&of[SPLIT]) <= 3.5,
                  curve_overhead(&of[SPLIT]), curve_overhead(&of[TAGGED]));
    }
    claim_show(&cheap, rows, "below 3 % error at no more than 3.5 % overhead, 30 cycles a message",
               " %", "the tagged table second; the paper: gcc");
    lab_claim(rows, "overheads are of %s", curve_clock(curves->at));
    claim_show(&dear, rows, "the tagged table makes at least twice as many messages", "",
               "messages of 1000 loads; the paper: gcc nearly three times, others twice or more");
    claim_show(&fewer, rows, "stratified sampling makes no more messages than random sampling", "",
               "the paper: always fewer, and by less the longer it goes on");
}

static void errors_tell(struct lab_rows *rows, const struct stream_curves *curves)
{
    curves_show(rows, curves);
    errors_claim(rows, curves);
    messages_claim(rows, curves);
}

static bool errors_fill(struct lab_rows *rows, char *const *files, size_t n, struct err *err)
{
    return curves_fill(rows, files, n, LOADS, error_designs, ERROR_DESIGNS, errors_tell, err);
}

static const char *const errors_columns[] = {
    "program",  "loads M",  "R256 %",      "P256 %",      "H[P256] %",   "H[P512] %", "T2[256] %",
    "R256 msg", "P256 msg", "H[P256] msg", "H[P512] msg", "T2[256] msg", NULL};
const struct lab_table lab_streams_errors = {
    .name = "streams-7",
    .title = "error of load value profiles by compressors, and messages of 1000 loads",
    .columns = errors_columns,
    .curves = true,
    .runs = true,
    .streams = errors_fill};

/* ---- Figure 8: the other programs */

static const char *const rate_designs[] = {"R256",         "H[P256]2048",  "H[P512]2048",
                                           "H[P1024]2048", "H[P2048]2048", "H[P4096]2048"};
enum { RATE_DESIGNS = sizeof rate_designs / sizeof *rate_designs };
static const double NEAR = 0.05;

/* By how much messages may be fewer than those of random sampling with no more error in the end; 0:
 * by nothing. */
static double rate_factor(const struct stream_curve *of)
{
    double factor = 0;
    for (size_t d = 1; d < RATE_DESIGNS && curve_last(&of[d])->error <= curve_last(of)->error; d++)
        factor = factor > 0 ? 2 * factor : 1;
    return factor;
}

static void thousands(struct lab_row *row, size_t tuples)
{
    if (tuples)
        lab_cell(row, "%.0f", (double)tuples / 1000);
    else
        lab_text(row, "");
}

static void convergence_row(struct lab_rows *rows, const char *file, const struct stream_curve *of)
{
    struct lab_row *row = curve_row(rows, file, (double)of->ends[of->n - 1]);
    for (size_t d = 0; d < 2; d++) {
        thousands(row, curve_reaches(&of[d], NEAR));
        thousands(row, curve_settles(&of[d], NEAR));
    }
    thousands(row, curve_settles(&of[1], curve_last(of)->error));
    for (size_t d = 0; d < RATE_DESIGNS; d++)
        curve_percent(row, curve_last(&of[d])->error);
    if (isnan(curve_last(of)->error))
        lab_text(row, "");
    else
        lab_cell(row, "%.0f", rate_factor(of));
}

/* Never, if it does not come there at all; nothing to tell, if it is there from the first end on.
 */
static double soon(const struct stream_curve *curve, double error)
{
    size_t settles = curve_settles(curve, error);
    return settles ? (double)settles / 1000 : (double)INFINITY;
}

static void convergence_claim(struct lab_rows *rows, const struct stream_curves *curves)
{
    struct stream_claim twice = {0}, level = {0}, factor = {0};
    for (size_t i = 0; i < curves->n_files; i++) {
        const char *file = curves->files[i];
        const struct stream_curve *of = curves_of(curves, i);
        double end = curve_last(of)->error, all = (double)of->ends[of->n - 1] / 1000;
        if (isnan(end))
            continue;
        double split = soon(&of[1], NEAR), random = soon(of, NEAR);
        if (!isinf(random) && random * 1000 > (double)of->ends[0])
            claim_add(&twice, file, 2 * split <= random, split, random);
        claim_add(&level, file, 2 * soon(&of[1], end) <= all, fmin(soon(&of[1], end), all), all);
        claim_add(&factor, file, rate_factor(of) >= 2, rate_factor(of), 1);
    }
    claim_show(&twice, rows,
               "where random sampling does not stay below 5 % from the start, stratified "
               "sampling does so at least twice as soon",
               " K", "the paper: gcc 300 K and 7,000 K");
    claim_show(&level, rows,
               "the error that random sampling has in the end it keeps from half of the loads on",
               " K", "the paper: twice as fast for gcc");
    claim_show(&factor, rows, "at half the rate it is as near as random sampling, or nearer",
               " times", "the paper: 2 for gcc, more for perl and db");
}

static void convergence_tell(struct lab_rows *rows, const struct stream_curves *curves)
{
    for (size_t i = 0; i < curves->n_files; i++)
        convergence_row(rows, curves->files[i], curves_of(curves, i));
    convergence_claim(rows, curves);
}

static bool convergence_fill(struct lab_rows *rows, char *const *files, size_t n, struct err *err)
{
    return curves_fill(rows, files, n, LOADS, rate_designs, RATE_DESIGNS, convergence_tell, err);
}

static const char *const convergence_columns[] = {
    "program",    "loads M",    "R256 5% K",  "stays K",   "H[P256] 5% K",
    "stays K",    "as R256 K",  "R256 %",     "H[P256] %", "H[P512] %",
    "H[P1024] %", "H[P2048] %", "H[P4096] %", "rate /",    NULL};
const struct lab_table lab_streams_convergence = {
    .name = "streams-8",
    .title = "after how many thousand loads an error is below 5 %, and stays there; from when on "
             "H[P256] stays as near as R256 is in the end; errors in the end by rate, and by what "
             "the rate may be divided for that of R256",
    .columns = convergence_columns,
    .runs = true,
    .streams = convergence_fill};
