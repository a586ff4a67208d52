#include "lab/streams.h"

#include "lab/stream_error.h"
#include "stream/design.h"

#include <math.h>
#include <string.h>

enum {
    SEED = 1,
    MOST = 16 << 20, /* tuples */
    DESIGNS_MAX = 5,
    LOADS = 1 << TUPLE_VALUE,
    BRANCHES = 1 << TUPLE_EDGE | 1 << TUPLE_CALL,
};

static const size_t all_ends[] = {200000, 1000000, 4000000, 16000000};
enum { ENDS = sizeof all_ends / sizeof *all_ends };

/* What one design makes of one file. */
struct course {
    size_t n; /* ends that the file has, or its own */
    size_t ends[ENDS];
    struct stream_trial trials[ENDS];
};

static void course_run(struct course *course, const struct tuples *tuples, const char *text)
{
    struct design design;
    size_t at;
    course->n = 0;
    for (size_t i = 0; i < ENDS && all_ends[i] <= tuples->n; i++)
        course->ends[course->n++] = all_ends[i];
    if (!course->n)
        course->ends[course->n++] = tuples->n;
    if (!design_parse(&design, text, &at))
        stream_trials(tuples, &design, SEED, course->ends, course->n, course->trials);
}

static struct lab_row *row_begin(struct lab_rows *rows, const char *file, size_t events)
{
    struct lab_row *row = lab_row_add(rows);
    lab_text(row, lab_file_name(file));
    lab_cell(row, "%.3g", (double)events / 1e6);
    return row;
}

static void percent(struct lab_row *row, double share)
{
    if (isnan(share))
        lab_text(row, "");
    else
        lab_cell(row, "%.3f", 100 * share);
}

/* Errors, then messages of a thousand tuples, of each design at each end. */
static void courses_show(struct lab_rows *rows, const char *file, const struct course *courses,
                         size_t n)
{
    for (size_t i = 0; i < courses[0].n; i++) {
        struct lab_row *row = row_begin(rows, file, courses[0].ends[i]);
        for (size_t d = 0; d < n; d++)
            percent(row, courses[d].trials[i].error);
        for (size_t d = 0; d < n; d++)
            lab_cell(row, "%.3f",
                     1000 * (double)courses[d].trials[i].messages / (double)courses[d].ends[i]);
    }
}

static void claim(struct lab_rows *rows, const char *text, size_t holds, size_t of)
{
    lab_claim(rows, "%s: %s (%zu of %zu programs)", text,
              holds == of ? "holds"
              : holds     ? "holds not for all"
                          : "does not hold",
              holds, of);
}

typedef void claims_judge(struct lab_rows *rows, const struct course *courses, size_t n_files);

/* Files one after the other, each through all designs; then what is claimed, of the courses of all: n_designs of each file. */
static bool designs_run(struct lab_rows *rows, char *const *files, size_t n, uint32_t kinds,
                        const char *const *designs, size_t n_designs, claims_judge *judge,
                        struct err *err)
{
    struct course *courses = mem_alloc((n * n_designs + 1) * sizeof *courses);
    bool good = true;
    for (size_t i = 0; i < n && good; i++) {
        struct tuples tuples;
        good = tuples_read(&tuples, files[i], kinds, MOST, err);
        for (size_t d = 0; d < n_designs && good; d++)
            course_run(&courses[i * n_designs + d], &tuples, designs[d]);
        if (!good)
            break;
        courses_show(rows, files[i], &courses[i * n_designs], n_designs);
        tuples_release(&tuples);
    }
    if (good)
        judge(rows, courses, n);
    mem_free(courses);
    return good;
}

static const struct stream_trial *last(const struct course *course)
{
    return &course->trials[course->n - 1];
}

/* ---- Table 1 */

static bool programs_fill(struct lab_rows *rows, char *const *files, size_t n, struct err *err)
{
    static const uint32_t kinds[] = {LOADS, 1 << TUPLE_EDGE, 1 << TUPLE_CALL};
    for (size_t i = 0; i < n; i++) {
        struct lab_row *row = NULL;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            struct tuples tuples;
            if (!tuples_read(&tuples, files[i], kinds[k], MOST, err))
                return false;
            if (!row)
                row = row_begin(rows, files[i], tuples.n);
            else
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
    "program",   "loads M", "places",  "different", "semi-invariant", "branches M", "places",
    "different", "kept",    "calls M", "places",    "different",      "kept",       NULL};
const struct lab_table lab_streams_programs = {
    .name = "streams-1",
    .title = "streams of programs: tuples, places, different tuples, and the share of places whose "
             "frequent tuples are looked at",
    .columns = programs_columns,
    .streams = programs_fill};

/* ---- Figures 7 and 8: designs */

static const char *const error_designs[] = {"R256", "P256", "H[P256]2048", "H[P512]2048",
                                            "T2[256]2048x2"};
enum { RANDOM, PERIODIC, SPLIT, SPLIT_512, TAGGED };

static void errors_judge(struct lab_rows *rows, const struct course *courses, size_t n)
{
    size_t faster = 0, half = 0, best = 0, three = 0, equal = 0;
    for (size_t i = 0; i < n; i++) {
        const struct course *of = &courses[i * DESIGNS_MAX];
        faster += of[SPLIT].trials[0].error < of[RANDOM].trials[0].error;
        half += last(&of[SPLIT_512])->error <= last(&of[RANDOM])->error;
        best += last(&of[TAGGED])->error <= last(&of[SPLIT])->error;
        three += last(&of[SPLIT])->error < 0.03;
        equal += fabs(last(&of[PERIODIC])->error - last(&of[RANDOM])->error) < 0.01;
    }
    claim(rows, "stratified periodic sampling is nearer than random sampling after 200,000 tuples",
          faster, n);
    claim(rows, "with half the messages it is as near as random sampling in the end", half, n);
    claim(rows, "the tagged table has the least error", best, n);
    claim(rows, "stratified periodic sampling comes below 3 %", three, n);
    claim(rows, "periodic and random sampling differ by less than a point", equal, n);
}

static bool errors_fill(struct lab_rows *rows, char *const *files, size_t n, struct err *err)
{
    return designs_run(rows, files, n, LOADS, error_designs, DESIGNS_MAX, errors_judge, err);
}

static const char *const errors_columns[] = {
    "program",  "loads M",  "R256 %",      "P256 %",      "H[P256] %",   "H[P512] %", "T2[256] %",
    "R256 msg", "P256 msg", "H[P256] msg", "H[P512] msg", "T2[256] msg", NULL};
const struct lab_table lab_streams_errors = {
    .name = "streams-7",
    .title = "error of load value profiles by compressors, and messages of 1000 loads (also Figure "
             "8: any number of programs)",
    .columns = errors_columns,
    .streams = errors_fill};

/* ---- Figure 9: how many parts */

static const char *const part_designs[] = {"H[P256]512", "H[P256]1024", "H[P256]2048",
                                           "H[P256]4096", "H[P256]2048,phase"};

static void parts_judge(struct lab_rows *rows, const struct course *courses, size_t n)
{
    size_t later = 0, early = 0, phase = 0;
    for (size_t i = 0; i < n; i++) {
        const struct course *of = &courses[i * DESIGNS_MAX];
        later += last(&of[3])->error <= last(&of[0])->error;
        early += of[3].trials[0].error >= of[0].trials[0].error;
        phase += of[4].trials[0].error <= of[2].trials[0].error;
    }
    claim(rows, "more parts are nearer in the end", later, n);
    claim(rows, "and farther off after 200,000 tuples", early, n);
    claim(rows,
          "periods that begin anywhere, which is not the paper's, are nearer after 200,000 tuples",
          phase, n);
}

static bool parts_fill(struct lab_rows *rows, char *const *files, size_t n, struct err *err)
{
    return designs_run(rows, files, n, LOADS, part_designs, DESIGNS_MAX, parts_judge, err);
}

static const char *const parts_columns[] = {
    "program", "loads M",  "512 %",    "1024 %",   "2048 %",         "4096 %", "2048 phase %",
    "512 msg", "1024 msg", "2048 msg", "4096 msg", "2048 phase msg", NULL};
const struct lab_table lab_streams_parts = {.name = "streams-9",
                                            .title =
                                                "error by how many parts a stratified periodic "
                                                "sampler of 256 has, and messages of 1000 loads",
                                            .columns = parts_columns,
                                            .streams = parts_fill};

/* ---- Figure 10: counters behind it */

static const char *const counter_designs[] = {"H[P256]2048", "H[P256]2048+A16", "T2[256]2048x2",
                                              "T2[256]2048x2+A16"};
enum { COUNTER_DESIGNS = 4 };

static void counters_judge(struct lab_rows *rows, const struct course *courses, size_t n)
{
    size_t fewer = 0;
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < n; i++) {
        const struct course *of = &courses[i * COUNTER_DESIGNS];
        double factor = (double)last(&of[0])->messages / (double)last(&of[1])->messages;
        fewer += factor >= 1.15;
        least = fmin(least, factor);
        most = fmax(most, factor);
    }
    claim(rows, "16 counters make at least 1.15 times fewer messages", fewer, n);
    lab_claim(rows, "they make %.2f to %.2f times fewer here; the paper has 1.15 to 2.5", least,
              most);
}

static bool counters_fill(struct lab_rows *rows, char *const *files, size_t n, struct err *err)
{
    return designs_run(rows, files, n, LOADS, counter_designs, COUNTER_DESIGNS, counters_judge,
                       err);
}

static const char *const counters_columns[] = {"program",     "loads M",  "H[P256] %",   "+A16 %",
                                               "T2[256] %",   "+A16 %",   "H[P256] msg", "+A16 msg",
                                               "T2[256] msg", "+A16 msg", NULL};
const struct lab_table lab_streams_counters = {
    .name = "streams-10",
    .title = "16 associative counters behind a compressor: error, and messages of 1000 loads",
    .columns = counters_columns,
    .streams = counters_fill};

/* ---- Figure 11: two streams at once */

static const char *const branch_designs[] = {"R256", "H[P256]2048", "H[P256]2048,phase"};
enum { BRANCH_DESIGNS = 3 };

static void branches_judge(struct lab_rows *rows, const struct course *courses, size_t n)
{
    size_t three = 0, none = 0;
    for (size_t i = 0; i < n; i++) {
        const struct course *of = &courses[i * BRANCH_DESIGNS];
        three += last(&of[1])->error < 0.03;
        none += last(&of[1])->error < 0.005;
    }
    claim(rows, "edges and calls through one compressor: less than 3 % error", three, n);
    claim(rows, "and nearly none, below 0.5 % (the paper: for 6 of 10)", none, n);
}

static bool branches_fill(struct lab_rows *rows, char *const *files, size_t n, struct err *err)
{
    return designs_run(rows, files, n, BRANCHES, branch_designs, BRANCH_DESIGNS, branches_judge,
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
    .streams = branches_fill};
