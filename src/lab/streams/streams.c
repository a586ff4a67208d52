#include "lab/streams/streams.h"

#include "lab/streams/stream_curves.h"

#include <math.h>

enum { LOADS = 1 << TUPLE_VALUE, BRANCHES = 1 << TUPLE_EDGE | 1 << TUPLE_CALL };

/* ---- Table 1 */

static bool programs_fill(struct lab_rows *rows, char *const *files, size_t n, struct err *err)
{
    static const uint32_t kinds[] = {LOADS, 1 << TUPLE_EDGE, 1 << TUPLE_CALL};
    for (size_t i = 0; i < n; i++) {
        struct lab_row *row = NULL;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            struct tuples tuples;
            if (!tuples_read(&tuples, files[i], kinds[k], CURVE_TUPLES, err))
                return false;
            if (!row)
                row = curve_row(rows, files[i], tuples.instructions);
            lab_cell(row, "%.3g", (double)tuples.n / 1e6);
            lab_cell(row, "%u", tuples.places.n);
            lab_cell(row, "%u", tuples.keys.n);
            struct stream_kept kept = stream_kept(&tuples, tuples.n);
            lab_share(row, (double)kept.executions, (double)tuples.n);
            tuples_release(&tuples);
        }
    }
    return true;
}

static const char *const programs_columns[] = {
    "program",        "instructions M", "loads M",   "places",    "different",
    "semi-invariant", "branches M",     "places",    "different", "kept",
    "calls M",        "places",         "different", "kept",      NULL};
const struct lab_table lab_streams_programs = {
    .name = "streams-1",
    .title = "streams of programs: tuples, places, different tuples, and the share of places whose "
             "frequent tuples are looked at",
    .columns = programs_columns,
    .streams = programs_fill};

/* ---- Figure 9: how many parts */

static const char *const part_designs[] = {"H[P256]512", "H[P256]1024", "H[P256]2048",
                                           "H[P256]4096", "H[P256]2048,phase"};
enum { PARTS_512, PARTS_2048 = 2, PARTS_4096, PARTS_PHASE, PART_DESIGNS };

static void parts_claim(struct lab_rows *rows, const struct stream_curves *curves)
{
    struct stream_claim later = {0}, early = {0}, phase = {0};
    for (size_t i = 0; i < curves->n_files; i++) {
        const char *file = curves->files[i];
        const struct stream_curve *of = curves_of(curves, i);
        double at[PART_DESIGNS], end[PART_DESIGNS];
        for (size_t d = 0; d < PART_DESIGNS; d++) {
            at[d] = 100 * curve_early(&of[d])->error;
            end[d] = 100 * curve_last(&of[d])->error;
        }
        claim_add(&later, file, end[PARTS_4096] <= end[PARTS_512], end[PARTS_4096], end[PARTS_512]);
        claim_add(&early, file, at[PARTS_4096] >= at[PARTS_512], at[PARTS_4096], at[PARTS_512]);
        claim_add(&phase, file, at[PARTS_PHASE] <= at[PARTS_2048], at[PARTS_PHASE], at[PARTS_2048]);
    }
    claim_show(&later, rows, "4096 parts are nearer than 512 in the end", " %",
               "the paper: gcc and li, the more the nearer");
    claim_show(&early, rows, "and farther off after 200,000 loads", " %",
               "the paper: for some, such as li");
    claim_show(&phase, rows, "periods that begin anywhere are nearer after 200,000 loads", " %",
               "the paper begins all at 0");
}

static void parts_tell(struct lab_rows *rows, const struct stream_curves *curves)
{
    curves_show(rows, curves);
    parts_claim(rows, curves);
}

static bool parts_fill(struct lab_rows *rows, char *const *files, size_t n, struct err *err)
{
    return curves_fill(rows, files, n, LOADS, part_designs, PART_DESIGNS, parts_tell, err);
}

static const char *const parts_columns[] = {
    "program", "loads M",  "512 %",    "1024 %",   "2048 %",         "4096 %", "2048 phase %",
    "512 msg", "1024 msg", "2048 msg", "4096 msg", "2048 phase msg", NULL};
const struct lab_table lab_streams_parts = {.name = "streams-9",
                                            .title =
                                                "error by how many parts a stratified periodic "
                                                "sampler of 256 has, and messages of 1000 loads",
                                            .columns = parts_columns,
                                            .curves = true,
                                            .runs = true,
                                            .streams = parts_fill};

/* ---- Figure 10: counters behind it */

static const char *const counter_designs[] = {
    "R256", "R256+A16", "H[P256]2048", "H[P256]2048+A16", "T2[256]2048x2", "T2[256]2048x2+A16"};
enum { COUNTER_DESIGNS = sizeof counter_designs / sizeof *counter_designs };

/* By how much messages are fewer, of the design at `d` and the one with counters after it. */
static double fewer_times(const struct stream_curve *of, size_t d)
{
    return curve_messages(&of[d]) / curve_messages(&of[d + 1]);
}

static void counters_row(struct lab_rows *rows, const char *file, const struct stream_curve *of)
{
    struct lab_row *row = curve_row(rows, file, (double)of->ends[of->n - 1]);
    for (size_t d = 0; d < COUNTER_DESIGNS; d++)
        lab_cell(row, "%.3f", curve_messages(&of[d]));
    for (size_t d = 0; d < COUNTER_DESIGNS; d += 2)
        if (isnan(fewer_times(of, d)))
            lab_text(row, "");
        else
            lab_cell(row, "%.2f", fewer_times(of, d));
}

static void counters_claim(struct lab_rows *rows, const struct stream_curves *curves)
{
    struct stream_claim fewer = {0}, same = {0};
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < curves->n_files; i++) {
        const struct stream_curve *of = curves_of(curves, i);
        for (size_t d = 0; d < COUNTER_DESIGNS; d += 2) {
            double factor = fewer_times(of, d), before = 100 * curve_last(&of[d])->error,
                   after = 100 * curve_last(&of[d + 1])->error;
            least = fmin(least, factor);
            most = fmax(most, factor);
            claim_add(&same, curves->files[i], fabs(before - after) < 1e-9, after, before);
        }
        claim_add(&fewer, curves->files[i], fewer_times(of, 2) >= 1.15, curve_messages(&of[3]),
                  curve_messages(&of[2]));
    }
    claim_show(&fewer, rows, "16 counters make at least 1.15 times fewer messages of H[P256]", "",
               "messages of 1000 loads; the paper: 1.15 to 2.5 times");
    lab_claim(rows, "of all three compressors %.2f to %.2f times fewer; the paper: 1.15 to 2.5",
              least, most);
    claim_show(&same, rows, "they lose nothing: errors are the same", " %", "the paper: lossless");
}

static void counters_tell(struct lab_rows *rows, const struct stream_curves *curves)
{
    for (size_t i = 0; i < curves->n_files; i++)
        counters_row(rows, curves->files[i], curves_of(curves, i));
    counters_claim(rows, curves);
}

static bool counters_fill(struct lab_rows *rows, char *const *files, size_t n, struct err *err)
{
    return curves_fill(rows, files, n, LOADS, counter_designs, COUNTER_DESIGNS, counters_tell, err);
}

static const char *const counters_columns[] = {
    "program",     "loads M",  "R256 msg",     "+A16 msg",        "H[P256] msg",     "+A16 msg",
    "T2[256] msg", "+A16 msg", "R256 fewer x", "H[P256] fewer x", "T2[256] fewer x", NULL};
const struct lab_table lab_streams_counters = {
    .name = "streams-10",
    .title = "16 associative counters behind a compressor: messages of 1000 loads in the end, "
             "without and with them, and how many times fewer",
    .columns = counters_columns,
    .runs = true,
    .streams = counters_fill};

/* ---- Figure 11: two streams at once */

static const char *const branch_designs[] = {"R256", "H[P256]2048", "H[P256]2048,phase"};
enum { BRANCH_DESIGNS = 3 };

static void branches_claim(struct lab_rows *rows, const struct stream_curves *curves)
{
    struct stream_claim three = {0}, none = {0}, cheap = {0};
    for (size_t i = 0; i < curves->n_files; i++) {
        const struct stream_curve *of = curves_of(curves, i);
        double random = 100 * curve_last(&of[0])->error, split = 100 * curve_last(&of[1])->error;
        claim_add(&three, curves->files[i], split < 3, split, random);
        claim_add(&none, curves->files[i], split < 0.5, split, random);
        claim_add(&cheap, curves->files[i], curve_overhead(&of[1]) < 4.5, curve_overhead(&of[1]),
                  curve_overhead(&of[0]));
    }
    claim_show(&three, rows, "edges and calls through one compressor: less than 3 % error", " %",
               "random sampling second; the paper: all 10 programs");
    claim_show(&none, rows, "and nearly none, below 0.5 %", " %", "the paper: for 6 of 10");
    claim_show(&cheap, rows, "at less than 4.5 % overhead, 30 cycles a message", " %",
               "the paper: all 10 programs");
    lab_claim(rows, "overheads are of %s", curve_clock(curves->at));
}

static void branches_tell(struct lab_rows *rows, const struct stream_curves *curves)
{
    curves_show(rows, curves);
    branches_claim(rows, curves);
}

static bool branches_fill(struct lab_rows *rows, char *const *files, size_t n, struct err *err)
{
    return curves_fill(rows, files, n, BRANCHES, branch_designs, BRANCH_DESIGNS, branches_tell,
                       err);
}

static const char *const branches_columns[] = {"program",     "tuples M",          "R256 %",
                                               "H[P256] %",   "H[P256] phase %",   "R256 msg",
                                               "H[P256] msg", "H[P256] phase msg", NULL};
const struct lab_table lab_streams_branches = {
    .name = "streams-11",
    .title =
        "edges and call targets through one compressor at once: error, and messages of 1000 tuples",
    .columns = branches_columns,
    .curves = true,
    .runs = true,
    .streams = branches_fill};
