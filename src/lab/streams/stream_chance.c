/* Figure 4: a tuple that is three tenths of a stream of chance, estimated by samplers of one in
 * ten. */
#include "lab/streams/streams.h"

#include "base/err.h"
#include "base/memory.h"
#include "compress/compressor.h"

#include <math.h>

enum { RUNS = 2500, OTHERS = 1000, LONGEST = 20000, RATE = 10 };
static const struct {
    size_t tuples;
    bool between; /* a point of the curve that nobody speaks of */
} lengths[] = {{1000, false}, {2000, false}, {3000, true},   {4600, false}, {6000, true},
               {8000, false}, {10000, true}, {12000, false}, {16000, true}, {LONGEST, false}};
static const char *const designs[] = {"R10", "P10", "CR10", "H[R10]4", "H[P10]4", "H[CR10]4"};
enum { LENGTHS = sizeof lengths / sizeof *lengths, DESIGNS = sizeof designs / sizeof *designs };
/* Where the bars of the paper are. */
enum { AT_4600 = 3, AT_12000 = 7, OF_RANDOM = 0, OF_SPLIT = 4 };

/* Three tenths are the one tuple, exactly, in an order of chance; who the others are does not
 * matter. */
static void stream_draw(struct tuple *tuples, size_t n, struct random *random)
{
    size_t left = n * 3 / 10;
    for (size_t i = 0; i < n; i++) {
        bool own = random_below(random, n - i) < left;
        left -= own;
        tuples[i] = (struct tuple){1, own ? 0 : 1 + random_below(random, OTHERS)};
    }
}

/* Counters tell how many passed in the part of the tuple, and messages whose share of them is its
 * own. */
static double estimate_counted(const struct hash *hash, const struct tuple *tuples, size_t length,
                               const struct message *messages, size_t n)
{
    uint32_t part = hash_index(hash, &(struct tuple){1, 0});
    double passed = 0, told = 0, own = 0;
    for (size_t i = 0; i < length; i++)
        passed += hash_index(hash, &tuples[i]) == part;
    for (size_t i = 0; i < n; i++) {
        told += hash_index(hash, &messages[i].tuple) == part;
        own += messages[i].tuple.value == 0;
    }
    return told > 0 ? own / told * passed : 0;
}

static double estimate(const struct message *messages, size_t n)
{
    uint64_t own = 0;
    for (size_t i = 0; i < n; i++)
        own += messages[i].tuple.value ? 0 : messages[i].count;
    return (double)own;
}

struct desk {
    struct compressor *compressor;
    struct tuple *tuples;
    struct message *messages;
};

/* `shares`: of what was counted, a message stands for its share of it, and not for what passed
 * since the last. */
static double error_of(const struct desk *desk, const char *text, size_t length, bool shares)
{
    struct compressor *compressor = desk->compressor;
    struct tuple *tuples = desk->tuples;
    struct message *messages = desk->messages;
    struct design design;
    size_t at;
    ASSERT(!design_parse(&design, text, &at));
    struct random random = {length};
    double sum = 0, n = 0;
    for (uint64_t run = 0; run < RUNS; run++) {
        stream_draw(tuples, length, &random);
        compressor_init(compressor, &design, random_next(&random));
        size_t made = compressor_take(compressor, tuples, length, messages);
        double told =
            shares && design.sampling.counted
                ? estimate_counted(&compressor->front.splitter.hash, tuples, length, messages, made)
                : estimate(messages, made);
        if (told > 0) {
            sum += fabs((double)(length * 3 / 10) - told) / told;
            n++;
        }
    }
    return 100 * sum / n;
}

static void claims(struct lab_rows *rows, double errors[DESIGNS][LENGTHS], double passed)
{
    double random = errors[OF_RANDOM][AT_12000], split = errors[OF_SPLIT][AT_4600];
    bool both = fabs(random - 4) <= 0.3 && fabs(split - 4) <= 0.3;
    lab_claim(rows,
              "R at 12,000 and H[P] at 4,600 are within 0.3 points of 4 %%: %s (%.2f and %.2f)",
              both ? "holds" : "does not hold", random, split);
    lab_claim(rows, "H[R] is as near as R: %s (%.2f and %.2f at 4,600)",
              fabs(errors[3][AT_4600] - errors[0][AT_4600]) < 0.5 ? "holds" : "does not hold",
              errors[3][AT_4600], errors[0][AT_4600]);
    lab_claim(
        rows,
        "CR is as near as P, H[CR] as H[P]: %s, if the share of messages is taken (%.2f and "
        "%.2f, %.2f and %.2f); by the sum of what passed since the last, as the paper writes it, "
        "CR is %s than R (%.2f and %.2f)",
        fabs(errors[2][AT_4600] - errors[1][AT_4600]) < 0.5 &&
                fabs(errors[5][AT_4600] - errors[4][AT_4600]) < 0.5
            ? "holds"
            : "does not hold",
        errors[2][AT_4600], errors[1][AT_4600], errors[5][AT_4600], errors[4][AT_4600],
        passed > errors[OF_RANDOM][AT_4600] ? "worse" : "no worse", passed,
        errors[OF_RANDOM][AT_4600]);
}

static bool chance_fill(struct lab_rows *rows, char *const *files, size_t n, struct err *err)
{
    (void)files, (void)n, (void)err;
    struct desk desk = {mem_alloc(sizeof *desk.compressor),
                        mem_alloc(LONGEST * sizeof *desk.tuples),
                        mem_alloc(LONGEST * sizeof *desk.messages)};
    double errors[DESIGNS][LENGTHS],
        passed = error_of(&desk, "CR10", lengths[AT_4600].tuples, false);
    for (size_t i = 0; i < LENGTHS; i++) {
        struct lab_row *row = lab_row_add(rows);
        row->fine = lengths[i].between;
        lab_text(row, "3 of 10");
        lab_cell(row, "%zu", lengths[i].tuples);
        for (size_t d = 0; d < DESIGNS; d++) {
            errors[d][i] = error_of(&desk, designs[d], lengths[i].tuples, true);
            lab_cell(row, "%.2f", errors[d][i]);
        }
    }
    claims(rows, errors, passed);
    mem_free(desk.compressor);
    mem_free(desk.tuples);
    mem_free(desk.messages);
    return true;
}

static const char *const columns[] = {"stream",    "tuples",    "R10 %",      "P10 %", "CR10 %",
                                      "H[R10]4 %", "H[P10]4 %", "H[CR10]4 %", NULL};
const struct lab_table lab_streams_chance = {
    .name = "streams-4",
    .title = "mean error of samplers of one in ten, of a tuple that is 3 of 10 of a stream drawn "
             "at random, by its length (2500 streams each)",
    .columns = columns,
    .alone = true,
    .curves = true,
    .streams = chance_fill};
