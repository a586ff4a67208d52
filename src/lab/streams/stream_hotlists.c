/* What hotlists keep of each place at equal memory (Burrows et al., section 2.3): the lists of
 * Gibbons and Matias, concise and counting, and space-saving. */
#include "lab/streams/stream_curves.h"
#include "lab/streams/streams.h"

#include "compress/hotlist.h"

#include <math.h>

enum { LEAST = 1000 };
static const double KEPT = 0.1, COVERED = 0.4;
/* Bytes of the entries of a list. */
static const uint32_t memories[] = {64, 128, 240};

struct trial {
    double executions, found; /* of places that are judged; where the first value is the first */
    double kept, listed;      /* executions of values with a tenth of their place; in a list */
    double apart;             /* what their shares are wrong by, so often */
    double bounds, in_bounds; /* entries, and those whose true count is between lo and hi */
    double thresholds, lists;
};

struct truth {
    uint64_t *tuples, *places, *covered;
    uint32_t *top; /* of each place: the number of its most frequent tuple, plus one */
};

static struct truth truth_make(const struct tuples *tuples)
{
    struct truth truth = {
        mem_alloc((tuples->keys.n + 1) * 8), mem_alloc((tuples->places.n + 1) * 8),
        mem_alloc((tuples->places.n + 1) * 8), mem_alloc((tuples->places.n + 1) * 4)};
    for (size_t i = 0; i < tuples->n; i++) {
        truth.tuples[tuples->number.at[i]]++;
        truth.places[tuples->place.at[tuples->number.at[i]]]++;
    }
    for (uint32_t i = 0; i < tuples->keys.n; i++) {
        uint32_t place = tuples->place.at[i];
        if ((double)truth.tuples[i] >= KEPT * (double)truth.places[place])
            truth.covered[place] += truth.tuples[i];
        if (!truth.top[place] || truth.tuples[i] > truth.tuples[truth.top[place] - 1])
            truth.top[place] = i + 1;
    }
    return truth;
}

static void truth_release(struct truth *truth)
{
    mem_free(truth->tuples);
    mem_free(truth->places);
    mem_free(truth->covered);
    mem_free(truth->top);
}

static bool is_judged(const struct truth *truth, uint32_t place)
{
    return truth->places[place] >= LEAST &&
           (double)truth->covered[place] >= COVERED * (double)truth->places[place];
}

static uint32_t number_of(const struct tuples *tuples, uint32_t place_tuple, uint64_t value)
{
    struct tuple tuple = {((const struct tuple *)map_key(&tuples->keys, place_tuple))->place,
                          value};
    return map_find(&tuples->keys, &tuple);
}

static void list_judge(struct trial *trial, const struct tuples *tuples, const struct truth *truth,
                       uint32_t place, const struct hotlist *list, double *told)
{
    struct hotlist_estimate estimates[HOTLIST_VALUES];
    size_t n = hotlist_estimates(list, estimates);
    uint32_t top = truth->top[place] - 1;
    uint64_t most = ((const struct tuple *)map_key(&tuples->keys, top))->value;
    trial->executions += (double)truth->places[place];
    trial->found += n && estimates[0].value == most ? (double)truth->places[place] : 0;
    trial->thresholds += (double)hotlist_unsure(list) / (1 << HOTLIST_BITS);
    trial->lists++;
    for (size_t i = 0; i < n; i++) {
        uint32_t number = number_of(tuples, top, estimates[i].value);
        uint64_t count = truth->tuples[number];
        told[number] = (double)estimates[i].count;
        trial->bounds++;
        trial->in_bounds += count >= estimates[i].lo && count <= estimates[i].hi;
    }
}

static void shares_judge(struct trial *trial, const struct tuples *tuples,
                         const struct truth *truth, const double *told)
{
    for (uint32_t i = 0; i < tuples->keys.n; i++) {
        uint32_t place = tuples->place.at[i];
        double n = (double)truth->tuples[i], all = (double)truth->places[place];
        if (!is_judged(truth, place) || n < KEPT * all)
            continue;
        trial->kept += n;
        trial->listed += told[i] > 0 ? n : 0;
        trial->apart += n * fabs(n - told[i]) / all;
    }
}

static struct trial trial_run(const struct tuples *tuples, const struct truth *truth,
                              enum hotlist_kind kind, uint32_t most)
{
    struct trial trial = {0};
    struct hotlist *lists = mem_alloc((tuples->places.n + 1) * sizeof *lists);
    double *told = mem_alloc((tuples->keys.n + 1) * sizeof *told);
    struct random random = {1};
    for (uint32_t i = 0; i < tuples->places.n; i++) {
        hotlist_init(&lists[i], kind);
        lists[i].most = most;
    }
    for (size_t i = 0; i < tuples->n; i++)
        hotlist_insert(&lists[tuples->place.at[tuples->number.at[i]]], tuples->at[i].value,
                       &random);
    for (uint32_t i = 0; i < tuples->places.n; i++)
        if (is_judged(truth, i))
            list_judge(&trial, tuples, truth, i, &lists[i], told);
    shares_judge(&trial, tuples, truth, told);
    mem_free(lists);
    mem_free(told);
    return trial;
}

struct hotlist_claims {
    struct stream_claim kept, concise, bounds;
};

static void trial_row(struct lab_rows *rows, const char *file, enum hotlist_kind kind,
                      uint32_t most, const struct trial *trial)
{
    struct lab_row *row = lab_row_add(rows);
    lab_text(row, lab_file_name(file));
    lab_text(row, hotlist_kind_name(kind));
    lab_cell(row, "%u", most * hotlist_entry_bytes(kind));
    lab_cell(row, "%u", most);
    lab_cell(row, "%.0f", trial->lists);
    lab_cell(row, "%.1f", trial->lists > 0 ? trial->thresholds / trial->lists : 0);
    lab_share(row, trial->found, trial->executions);
    lab_share(row, trial->listed, trial->kept);
    lab_cell(row, "%.2f", trial->kept > 0 ? 100 * trial->apart / trial->kept : 0);
    lab_share(row, trial->in_bounds, trial->bounds);
}

static bool file_fill(struct lab_rows *rows, const char *file, struct hotlist_claims *claims,
                      struct err *err)
{
    struct tuples tuples;
    if (!tuples_read(&tuples, file, 1U << TUPLE_VALUE, CURVE_TUPLES, err))
        return false;
    struct truth truth = truth_make(&tuples);
    for (size_t m = 0; m < sizeof memories / sizeof *memories; m++) {
        double errors[HOTLIST_KINDS];
        for (enum hotlist_kind kind = 0; kind < HOTLIST_KINDS; kind++) {
            uint32_t most = memories[m] / hotlist_entry_bytes(kind);
            struct trial trial = trial_run(&tuples, &truth, kind, most);
            trial_row(rows, file, kind, most, &trial);
            errors[kind] = 100 * trial.apart / trial.kept;
            if (kind == HOTLIST_CONCISE && memories[m] == 128)
                claim_add(&claims->kept, file, trial.listed >= 0.95 * trial.kept,
                          100 * trial.listed / trial.kept, errors[kind]);
            double covered = 100 * trial.in_bounds / trial.bounds;
            if (kind == HOTLIST_CONCISE && memories[m] == 128)
                claim_add(&claims->bounds, file, covered >= 93, covered, 95);
        }
        if (memories[m] == 128)
            claim_add(&claims->concise, file, errors[HOTLIST_COUNTING] <= errors[HOTLIST_CONCISE],
                      errors[HOTLIST_COUNTING], errors[HOTLIST_CONCISE]);
    }
    truth_release(&truth);
    tuples_release(&tuples);
    return true;
}

static bool hotlists_fill(struct lab_rows *rows, char *const *files, size_t n, struct err *err)
{
    struct hotlist_claims claims = {0};
    for (size_t i = 0; i < n; i++)
        if (!file_fill(rows, files[i], &claims, err))
            return false;
    claim_show(&claims.kept, rows,
               "a concise list of 128 bytes has the most frequent values of an instruction", " %",
               "executions of values with a tenth of their load that are in the list; second the "
               "error; the paper: constant space for each");
    claim_show(&claims.concise, rows, "counting samples are more accurate than concise ones", " %",
               "error, counting and concise, 128 bytes; Gibbons and Matias: more accurate");
    claim_show(&claims.bounds, rows, "intervals of concise lists hold the true count", " %",
               "second what they are made for");
    return true;
}

static const char *const columns[] = {"program", "list",    "bytes",   "values", "places", "unsure",
                                      "found",   "in list", "error %", "within", NULL};
const struct lab_table lab_streams_hotlists = {
    .name = "streams-hotlists",
    .title =
        "hotlists of each load at equal memory: mean threshold (space-saving: the most that may "
        "be others'), executions of loads whose most frequent value is the list's first, of "
        "values with a tenth of their load that are in it, error of shares, and entries whose "
        "interval holds the truth",
    .columns = columns,
    .streams = hotlists_fill};
