/* Several profiles through one compressor at once, section 2.1: types of objects beside calls, and
 * mispredicted branches beside all branches, which only a tag from the selector keeps apart. */
#include "lab/streams/stream_curves.h"
#include "lab/streams/streams.h"

#include <math.h>

static const char shared[] = "H[P256]2048";
static const struct {
    enum tuple_kind kind;
    const char *name;
} kinds[] = {{TUPLE_EDGE, "edges"},
             {TUPLE_CALL, "calls"},
             {TUPLE_MISPREDICT, "mispredicted"},
             {TUPLE_TYPE, "types"}};
enum {
    KINDS = sizeof kinds / sizeof *kinds,
    ALL = 1 << TUPLE_EDGE | 1 << TUPLE_CALL | 1 << TUPLE_MISPREDICT | 1 << TUPLE_TYPE
};

struct kind_claims {
    struct stream_claim three;
    struct curve_numbers mixed; /* of 100 tuples about branches, those of mispredicted ones */
};

static double mixed_share(const struct tuples *tuples)
{
    uint64_t wrong = 0, branches = 0;
    for (size_t i = 0; i < tuples->n; i++) {
        wrong += tuple_kind(&tuples->at[i]) == TUPLE_MISPREDICT;
        branches += tuple_kind(&tuples->at[i]) == TUPLE_EDGE;
    }
    return wrong + branches ? 100 * (double)wrong / (double)(wrong + branches) : (double)NAN;
}

static void kind_row(struct lab_rows *rows, const char *file, const struct tuples *together,
                     const struct tuples *alone, size_t k, struct kind_claims *claims)
{
    struct stream_curve one, all;
    uint32_t runs = rows->request.runs ? rows->request.runs : 1;
    curve_run(&one, alone, 1U << kinds[k].kind, shared, runs);
    curve_run(&all, together, 1U << kinds[k].kind, shared, runs);
    struct lab_row *row = lab_row_add(rows);
    lab_text(row, lab_file_name(file));
    lab_text(row, kinds[k].name);
    lab_cell(row, "%.3g", (double)alone->n / 1e6);
    lab_cell(row, "%u", alone->places.n);
    lab_cell(row, "%u", alone->keys.n);
    curve_percent(row, curve_last(&one)->error);
    curve_percent(row, curve_last(&all)->error);
    lab_cell(row, "%.2f", 100 * curve_last(&all)->spread);
    double error = 100 * curve_last(&all)->error;
    claim_add(&claims->three, file, error < 3, error, 100 * curve_last(&one)->error);
}

static bool file_fill(struct lab_rows *rows, const char *file, struct kind_claims *claims,
                      struct err *err)
{
    struct tuples together, alone;
    if (!tuples_read(&together, file, ALL, CURVE_TUPLES, err))
        return false;
    bool good = true;
    for (size_t k = 0; k < KINDS && good; k++) {
        good = tuples_read(&alone, file, 1U << kinds[k].kind, CURVE_TUPLES, err);
        if (!good)
            break;
        if (alone.n)
            kind_row(rows, file, &together, &alone, k, claims);
        tuples_release(&alone);
    }
    double mixed = mixed_share(&together);
    if (good && mixed > 0)
        *vec_push(&claims->mixed) = mixed;
    tuples_release(&together);
    return good;
}

static bool kinds_fill(struct lab_rows *rows, char *const *files, size_t n, struct err *err)
{
    struct kind_claims claims = {0};
    for (size_t i = 0; i < n; i++)
        if (!file_fill(rows, files[i], &claims, err))
            return false;
    claim_show(&claims.three, rows, "each profile, of all through one compressor: below 3 % error",
               " %", "alone second; the paper: less than 3 % of edges and calls together");
    if (claims.mixed.n)
        lab_claim(rows,
                  "without a tag from the selector, mispredicted branches would count as "
                  "executions: %.3g %% of tuples about branches (median; the paper: places do not "
                  "tell them apart)",
                  curve_median(&claims.mixed));
    vec_release(&claims.mixed);
    return true;
}

static const char *const columns[] = {"program", "profile",       "tuples M", "places", "different",
                                      "alone %", "all at once %", "spread",   NULL};
const struct lab_table lab_streams_kinds = {
    .name = "streams-kinds",
    .title = "types, mispredicted branches, edges and calls through one H[P256]2048 at once, kept "
             "apart by a tag: error of each, and alone",
    .columns = columns,
    .runs = true,
    .streams = kinds_fill};
