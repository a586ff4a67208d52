/* Compressors of any composition, judged as the paper judges its own: by their error against that
 * of random sampling, how soon it is small, what messages cost, and what storage. Three tables have
 * designs that the paper speaks of without figures. */
#include "base/err.h"
#include "lab/streams/stream_cost.h"
#include "lab/streams/stream_curves.h"
#include "lab/streams/streams.h"

#include "compress/design.h"

#include <math.h>
#include <stdio.h>

enum { LOADS = 1 << TUPLE_VALUE, MESSAGE_CYCLES = 30 };
static const char random_design[] = "R256"; /* what others are held to */
static const double SMALL = 0.05;

/* One file through all designs. */
struct bench {
    struct lab_rows *rows;
    const char *const *designs;
    size_t n;
    struct stream_curve *curves;
    struct stream_pace *paces;
};

static struct design design_of(const char *text)
{
    struct design design;
    size_t at;
    ASSERT(!design_parse(&design, text, &at));
    return design;
}

static void number_put(struct lab_row *row, int digits, double number)
{
    if (isfinite(number))
        lab_cell(row, "%.*f", digits, number);
    else
        lab_text(row, "");
}

static void design_row(struct bench *bench, const char *file, size_t d)
{
    const struct stream_curve *curve = &bench->curves[d];
    const struct stream_trial *end = curve_last(curve);
    const struct design design = design_of(bench->designs[d]);
    double cycles = curve->cycles > 0 ? curve->cycles : curve->instructions;
    size_t settles = curve_settles(curve, SMALL);
    struct lab_row *row = lab_row_add(bench->rows);
    lab_text(row, lab_file_name(file));
    lab_text(row, bench->designs[d]);
    lab_cell(row, "%.3g", (double)curve->ends[curve->n - 1] / 1e6);
    lab_cell(row, "%llu", (unsigned long long)design_bits(&design));
    curve_percent(row, curve_early(curve)->error);
    number_put(row, 0, settles ? (double)settles / 1000 : (double)NAN);
    curve_percent(row, end->error);
    number_put(row, 2, 100 * end->spread);
    lab_cell(row, "%.3f", curve_messages(curve));
    lab_cell(row, "%.1f", 100 * (double)end->left_out / (double)curve->ends[curve->n - 1]);
    number_put(row, 2, curve_overhead(curve));
    number_put(row, 0, cycles > 0 ? bench->paces[d].apart * cycles : (double)NAN);
    number_put(row, 1, 100 * bench->paces[d].close);
    number_put(row, 0, bench->paces[d].queue);
}

static const char *const designs_columns[] = {
    "program", "design", "loads M",  "bits",         "200 K %",     "5 % K",   "error %", "spread",
    "msg",     "left %", "overhead", "cycles apart", "within 30 %", "waiting", NULL};

static bool file_run(struct bench *bench, const char *file, struct err *err)
{
    struct tuples tuples;
    uint32_t runs = bench->rows->request.runs ? bench->rows->request.runs : 1;
    if (!tuples_read(&tuples, file, LOADS, CURVE_TUPLES, err))
        return false;
    for (size_t d = 0; d < bench->n; d++) {
        struct stream_curve *curve = &bench->curves[d];
        const struct design design = design_of(bench->designs[d]);
        curve_run(curve, &tuples, LOADS, bench->designs[d], runs);
        double cycles = curve->cycles > 0 ? curve->cycles : curve->instructions;
        bench->paces[d] = stream_pace(&tuples, &design, MESSAGE_CYCLES / (cycles > 0 ? cycles : 1));
        design_row(bench, file, d);
    }
    tuples_release(&tuples);
    return true;
}

/* What a table claims of a file's designs, added up over the files. */
typedef void claims_adder(void *claims, const char *file, const struct bench *bench);

static bool designs_run(struct lab_rows *rows, char *const *files, size_t n,
                        const char *const *designs, size_t n_designs, claims_adder *add,
                        void *claims, struct err *err)
{
    struct bench bench = {rows, designs, n_designs, mem_alloc(n_designs * sizeof *bench.curves),
                          mem_alloc(n_designs * sizeof *bench.paces)};
    bool good = true;
    for (size_t i = 0; i < n && good; i++) {
        good = file_run(&bench, files[i], err);
        if (good)
            add(claims, files[i], &bench);
    }
    if (good)
        lab_claim(rows, "overheads, and cycles between messages, are of %s; 30 cycles a message",
                  curve_clock(bench.curves));
    mem_free(bench.curves);
    mem_free(bench.paces);
    return good;
}

static double error_at_end(const struct bench *bench, size_t d)
{
    return 100 * curve_last(&bench->curves[d])->error;
}

/* ---- Any designs: what the paper says of its stratified sampler, of each of them */

struct judgement {
    struct stream_claim nearer, sooner, fewer, cheap;
};

static void judge(void *claims, const char *file, const struct bench *bench)
{
    struct judgement *judgements = claims;
    const struct stream_curve *random = &bench->curves[0];
    size_t late = curve_settles(random, SMALL);
    for (size_t d = 1; d < bench->n; d++) {
        const struct stream_curve *curve = &bench->curves[d];
        struct judgement *of = &judgements[d];
        size_t soon = curve_settles(curve, SMALL);
        double ours = soon ? (double)soon / 1000 : (double)INFINITY,
               theirs = late ? (double)late / 1000 : (double)INFINITY;
        claim_add(&of->nearer, file, error_at_end(bench, d) <= error_at_end(bench, 0),
                  error_at_end(bench, d), error_at_end(bench, 0));
        claim_add(&of->sooner, file, ours <= theirs, ours, theirs);
        claim_add(&of->fewer, file, curve_messages(curve) <= curve_messages(random),
                  curve_messages(curve), curve_messages(random));
        claim_add(&of->cheap, file, error_at_end(bench, d) < 3 && curve_overhead(curve) <= 3.5,
                  curve_overhead(curve), curve_overhead(random));
    }
}

static void judgement_show(struct lab_rows *rows, const char *design, struct judgement *of)
{
    char what[256];
    snprintf(what, sizeof what, "%s is as near as R256 in the end, or nearer", design);
    claim_show(&of->nearer, rows, what, " %", "R256 second");
    snprintf(what, sizeof what, "%s stays below 5 %% as soon, or sooner", design);
    claim_show(&of->sooner, rows, what, " K", "loads; R256 second");
    snprintf(what, sizeof what, "%s makes no more messages", design);
    claim_show(&of->fewer, rows, what, "", "of 1000 loads; R256 second");
    snprintf(what, sizeof what, "%s: below 3 %% error at no more than 3.5 %% overhead", design);
    claim_show(&of->cheap, rows, what, " %", "overhead, 30 cycles a message; R256 second");
}

static bool any_fill(struct lab_rows *rows, char *const *files, size_t n, struct err *err)
{
    const struct lab_request *request = &rows->request;
    if (!request->n_designs)
        return err_set(err, ERR_USAGE,
                       "streams: which compressors? for example --design 'H[P256]2048'");
    for (size_t i = 0; i < request->n_designs; i++) {
        struct design design;
        size_t at;
        const char *wrong = design_parse(&design, request->designs[i], &at);
        if (wrong)
            return err_set(err, ERR_USAGE, "--design %s: at '%s': %s", request->designs[i],
                           request->designs[i] + at, wrong);
    }
    size_t n_designs = request->n_designs + 1;
    const char **designs = mem_alloc(n_designs * sizeof *designs);
    struct judgement *judgements = mem_alloc(n_designs * sizeof *judgements);
    designs[0] = random_design;
    for (size_t i = 1; i < n_designs; i++)
        designs[i] = request->designs[i - 1];
    bool good = designs_run(rows, files, n, designs, n_designs, judge, judgements, err);
    for (size_t d = 1; d < n_designs && good; d++)
        judgement_show(rows, designs[d], &judgements[d]);
    mem_free(judgements);
    mem_free(designs);
    return good;
}

const struct lab_table lab_streams_designs = {
    .name = "streams",
    .title = "load value profiles by any compressors: storage, error, and what messages cost",
    .columns = designs_columns,
    .designs = true,
    .runs = true,
    .streams = any_fill};

/* ---- The hash of section 3.5 */

static const char *const hash_designs[] = {"H[P256]2048",   "H[P256]2048,paper",
                                           "H[P256]512",    "H[P256]512,paper",
                                           "T2[256]2048x2", "T2[256]2048x2,paper"};
enum { HASH_DESIGNS = sizeof hash_designs / sizeof *hash_designs };

static void hash_add(void *claims, const char *file, const struct bench *bench)
{
    struct stream_claim *each = claims;
    for (size_t d = 0; d < HASH_DESIGNS; d += 2)
        claim_add(&each[d / 2], file, error_at_end(bench, d + 1) <= error_at_end(bench, d),
                  error_at_end(bench, d + 1), error_at_end(bench, d));
}

static bool hash_fill(struct lab_rows *rows, char *const *files, size_t n, struct err *err)
{
    struct stream_claim each[HASH_DESIGNS / 2] = {0};
    if (!designs_run(rows, files, n, hash_designs, HASH_DESIGNS, hash_add, each, err))
        return false;
    for (size_t i = 0; i < HASH_DESIGNS / 2; i++) {
        char what[128];
        snprintf(what, sizeof what,
                 "%s: the paper's hash is as near as a multiplication, or nearer",
                 hash_designs[2 * i]);
        claim_show(&each[i], rows, what, " %",
                   "the paper: the best of all hashes that it tried, not systematically");
    }
    return true;
}

const struct lab_table lab_streams_hash = {.name = "streams-hash",
                                           .title = "the paper's hash and the one that gait uses",
                                           .columns = designs_columns,
                                           .runs = true,
                                           .streams = hash_fill};

/* ---- Tags, and what they cost: sections 4.2 and 5.4 */

static const char *const tag_designs[] = {"T1[256]2048x2", "T2[256]2048x2", "T3[256]2048x2",
                                          "T4[256]2048x2", "T6[256]2048x2", "T8[256]2048x2",
                                          "H[P256]2048",   "T2[256]1024x2", "H[P256]4096"};
enum { TAG_WIDTHS = 6, TAG_2 = 1, TAG_SPLIT = 6, TAG_HALF, TAG_SPLIT_TWICE, TAG_DESIGNS };

struct tag_claims {
    struct stream_claim error, both, space;
};

static double both_at_end(const struct bench *bench, size_t d)
{
    return error_at_end(bench, d) * curve_messages(&bench->curves[d]);
}

static size_t least_of(const struct bench *bench,
                       double (*figure)(const struct bench *bench, size_t d))
{
    size_t least = TAG_2;
    for (size_t d = 0; d < TAG_WIDTHS; d++)
        if (figure(bench, d) < figure(bench, least))
            least = d;
    return least;
}

static void tags_add(void *claims, const char *file, const struct bench *bench)
{
    struct tag_claims *of = claims;
    size_t error = least_of(bench, error_at_end), both = least_of(bench, both_at_end);
    claim_add(&of->error, file, error == TAG_2, error_at_end(bench, TAG_2),
              error_at_end(bench, error));
    claim_add(&of->both, file, both == TAG_2, both_at_end(bench, TAG_2), both_at_end(bench, both));
    claim_add(&of->space, file, error_at_end(bench, TAG_HALF) < error_at_end(bench, TAG_SPLIT),
              error_at_end(bench, TAG_HALF), error_at_end(bench, TAG_SPLIT));
}

static void storage_claim(struct lab_rows *rows)
{
    const struct design split = design_of("H[P256]2048"), one = design_of("T1[256]2048x1"),
                        two = design_of("T2[256]2048x2");
    double plain = (double)design_bits(&split);
    double more = 100 * ((double)design_bits(&one) / plain - 1);
    lab_claim(rows,
              "a tag of one bit costs at least 62 %% more storage than stratified sampling: %s: "
              "%.1f %%, and of two bits %.1f %% (the paper: 5 bits more than 8)",
              more >= 62 ? "holds" : "does not hold", more,
              100 * ((double)design_bits(&two) / plain - 1));
}

static bool tags_fill(struct lab_rows *rows, char *const *files, size_t n, struct err *err)
{
    struct tag_claims of = {0};
    if (!designs_run(rows, files, n, tag_designs, TAG_DESIGNS, tags_add, &of, err))
        return false;
    claim_show(&of.error, rows, "tags of 2 bits have the least error of 1, 2, 3, 4, 6 and 8", " %",
               "the least second; the paper does not say so of errors alone");
    claim_show(&of.both, rows,
               "and the best behaviour of error and overhead, as error times messages", "",
               "the least second; the paper: of its tagged tables the best");
    storage_claim(rows);
    claim_show(&of.space, rows,
               "with less storage, 1024 entries of 14 bits for 2048 counters of 8, tags still win",
               " %", "error, of H[P256]2048 second; the paper compares equal numbers of entries");
    return true;
}

const struct lab_table lab_streams_tags = {
    .name = "streams-tags",
    .title = "tagged tables by the width of their tags, and stratified samplers of like storage",
    .columns = designs_columns,
    .runs = true,
    .streams = tags_fill};

/* ---- Leaving out what has converged: section 5.4 */

static const char *const settle_designs[] = {"H[P256]2048", "H[P256]2048,converge", "H[P256]512",
                                             "H[P256]512,converge"};
enum { SETTLE_DESIGNS = sizeof settle_designs / sizeof *settle_designs };

struct settle_claims {
    struct stream_claim error, messages;
};

static void settle_add(void *claims, const char *file, const struct bench *bench)
{
    struct settle_claims *each = claims;
    for (size_t d = 0; d < SETTLE_DESIGNS; d += 2) {
        double before = curve_messages(&bench->curves[d]),
               after = curve_messages(&bench->curves[d + 1]);
        claim_add(&each[d / 2].error, file, error_at_end(bench, d + 1) <= error_at_end(bench, d),
                  error_at_end(bench, d + 1), error_at_end(bench, d));
        claim_add(&each[d / 2].messages, file, after <= before, after, before);
    }
}

static bool settle_fill(struct lab_rows *rows, char *const *files, size_t n, struct err *err)
{
    struct settle_claims each[SETTLE_DESIGNS / 2] = {0};
    if (!designs_run(rows, files, n, settle_designs, SETTLE_DESIGNS, settle_add, each, err))
        return false;
    for (size_t i = 0; i < SETTLE_DESIGNS / 2; i++) {
        char what[128];
        snprintf(what, sizeof what, "%s: leaving out converged places makes profiles nearer",
                 settle_designs[2 * i]);
        claim_show(&each[i].error, rows, what, " %", "the paper: fewer collisions, not measured");
        snprintf(what, sizeof what, "%s: and makes messages fewer", settle_designs[2 * i]);
        claim_show(&each[i].messages, rows, what, "", "of 1000 loads, all that there were");
    }
    return true;
}

const struct lab_table lab_streams_settle = {
    .name = "streams-converge",
    .title = "places whose last 8 messages had one value are left out before the compressor, "
             "except in one of 16 stretches of 8192 loads",
    .columns = designs_columns,
    .runs = true,
    .streams = settle_fill};
