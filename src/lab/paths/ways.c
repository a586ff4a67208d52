#include "lab/paths/ways.h"

#include "base/err.h"
#include "lab/pipeline/modelled_run.h"
#include "lab/paths/history.h"

enum { STEPS_MOST = 30000000, USUAL_BITS = 8, PAIR_MOST = 50, LEAST_BITS = 4 };

static const uint32_t lengths[] = {1, 2, 4, 6, 8, 10, 12, 16};
enum { LENGTHS = sizeof lengths / sizeof *lengths, SIDES = 2 };

static double percent(uint32_t part, const struct trail_scores *scores)
{
    return scores->asked ? 100.0 * part / scores->asked : 0;
}

static bool wrong_told(const struct trail_scores *scores, size_t n, struct err *err)
{
    uint32_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += scores[i].wrong;
    return !wrong ||
           err_set(err, ERR_FORMAT, "%u ways that were gone were not found: gait is wrong", wrong);
}

static void run_claim(struct lab_rows *rows, const struct history *history,
                      const struct modelled_run *run)
{
    lab_claim(rows, "%llu instructions, %llu of them in %s itself; asked at %zu",
              (unsigned long long)history->taken, (unsigned long long)history->own, run->command[0],
              history->moments.n);
}

/* ---- by the number of directions */

static void length_put(struct lab_rows *rows, uint32_t bits, const struct trail_scores *sides)
{
    struct lab_row *row = lab_row_add(rows);
    lab_cell(row, "%u", bits);
    for (int i = 0; i < SIDES; i++) {
        const struct trail_scores *scores = &sides[i];
        lab_cell(row, "%.1f", percent(scores->blocks, scores));
        lab_cell(row, "%.1f", percent(scores->counts, scores));
        lab_cell(row, "%.1f", percent(scores->history, scores));
        lab_cell(row, "%.1f", percent(scores->pair, scores));
        lab_cell(row, "%.1f", percent(scores->seen, scores));
        lab_cell(row, "%.1f", percent(scores->likely, scores));
    }
    lab_cell(row, "%.1f", percent(sides[1].gave_up, &sides[1]));
}

static const char *holds(bool it)
{
    return it ? "holds" : "does not hold";
}

/* At how many lengths, of those with several directions, one scheme finds more than another. */
struct lead {
    uint32_t alone, likely, of; /* one way alone that fits; the likeliest that fits */
};

static struct lead lead_of(const struct trail_scores *scores, int side)
{
    struct lead lead = {0};
    for (size_t i = 0; i < LENGTHS; i++) {
        const struct trail_scores *at = &scores[i * SIDES + (size_t)side];
        if (lengths[i] < LEAST_BITS)
            continue;
        lead.of++;
        lead.alone += at->history > at->blocks;
        lead.likely += at->likely > at->counts && at->likely > at->blocks;
    }
    return lead;
}

static void leads_claim(struct lab_rows *rows, const struct trail_scores *scores)
{
    static const char *const where[SIDES] = {"inside of functions", "across them"};
    for (int side = 0; side < SIDES; side++) {
        struct lead lead = lead_of(scores, side);
        lab_claim(rows,
                  "one way alone fits, and it is right, more often than counts of blocks are, %s: "
                  "at %u of %u lengths from %d directions on: %s",
                  where[side], lead.alone, lead.of, LEAST_BITS, holds(lead.alone == lead.of));
        lab_claim(rows,
                  "the likeliest way that fits is right more often than counts without history, "
                  "%s: at %u of %u lengths: %s",
                  where[side], lead.likely, lead.of, holds(lead.likely == lead.of));
    }
}

static void lengths_claim(struct lab_rows *rows, const struct trail_scores *first,
                          const struct trail_scores *usual)
{
    const struct trail_scores *in = &usual[0], *across = &usual[1];
    double history = percent(in->history, in), pair = percent(in->pair, in);
    lab_claim(
        rows, "longer ways are harder to tell: by history %.1f with 1 direction, %.1f with 8: %s",
        percent(first->history, first), history, holds(percent(first->history, first) > history));
    lab_claim(rows, "another instruction of a pair tells more: %.1f: %s", pair,
              holds(pair > history));
    lab_claim(rows, "across functions less is told: %.1f: %s", percent(across->history, across),
              holds(percent(across->history, across) < history));
}

static bool ways_fill(struct lab_rows *rows, const struct modelled_run *run, struct err *err)
{
    struct history history;
    struct history_question questions[LENGTHS * SIDES];
    struct trail_scores scores[LENGTHS * SIDES];
    size_t usual = 0;
    if (!history_take(&history, run, err))
        return false;
    for (size_t i = 0; i < LENGTHS * SIDES; i++)
        questions[i] = (struct history_question){lengths[i / SIDES], i % SIDES, 1, PAIR_MOST};
    history_score(&history, questions, LENGTHS * SIDES, scores);
    for (size_t i = 0; i < LENGTHS; i++) {
        length_put(rows, lengths[i], &scores[i * SIDES]);
        usual = lengths[i] == USUAL_BITS ? i : usual;
    }
    run_claim(rows, &history, run);
    lengths_claim(rows, scores, &scores[usual * SIDES]);
    leads_claim(rows, scores);
    history_release(&history);
    return wrong_told(scores, LENGTHS * SIDES, err);
}

const struct lab_table lab_ways = {
    .name = "history",
    .title = "of 100 places of a command, at how many counts are right about the way to it; one "
             "way alone fits so many directions; or the likeliest that fits is right",
    .columns =
        (const char *const[]){"bits", "blocks", "edges", "history", "pair", "seen", "likeliest",
                              "blocks across", "edges across", "history across", "pair across",
                              "seen across", "likeliest across", "given up", NULL},
    .modelled = ways_fill,
    .steps = STEPS_MOST,
};

/* ---- by how far a pair is apart */

static bool pairs_fill(struct lab_rows *rows, const struct modelled_run *run, struct err *err)
{
    static const uint32_t ranges[][2] = {{1, 2},   {3, 5},   {6, 10},
                                         {11, 20}, {21, 35}, {36, PAIR_MOST}};
    enum { RANGES = sizeof ranges / sizeof *ranges };
    struct history history;
    struct history_question questions[RANGES * SIDES];
    struct trail_scores scores[RANGES * SIDES];
    if (!history_take(&history, run, err))
        return false;
    for (size_t i = 0; i < RANGES * SIDES; i++)
        questions[i] = (struct history_question){USUAL_BITS, i % SIDES, ranges[i / SIDES][0],
                                                 ranges[i / SIDES][1]};
    history_score(&history, questions, RANGES * SIDES, scores);
    for (size_t i = 0; i < RANGES; i++) {
        struct lab_row *row = lab_row_add(rows);
        lab_cell(row, "%u to %u", ranges[i][0], ranges[i][1]);
        for (size_t side = 0; side < SIDES; side++) {
            const struct trail_scores *at = &scores[i * SIDES + side];
            lab_cell(row, "%.1f", percent(at->history, at));
            lab_cell(row, "%.1f", percent(at->pair, at));
        }
    }
    run_claim(rows, &history, run);
    history_release(&history);
    return wrong_told(scores, RANGES * SIDES, err);
}

const struct lab_table lab_ways_pairs = {
    .name = "history-pairs",
    .title =
        "the same with 8 directions, by how many instructions before it the other of a pair ran",
    .columns =
        (const char *const[]){"apart", "history", "pair", "history across", "pair across", NULL},
    .modelled = pairs_fill,
    .steps = STEPS_MOST,
};
