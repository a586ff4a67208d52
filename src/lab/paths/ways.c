#include "lab/paths/ways.h"

#include "base/err.h"
#include "lab/pipeline/modelled_run.h"
#include "lab/paths/history.h"

enum { PLACES = 1000, STEPS_MOST = 100000, USUAL_BITS = 8, PAIR_MOST = 50 };

static const uint32_t lengths[] = {1, 2, 4, 6, 8, 10, 12, 16};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static double percent(uint32_t part, const struct trail_scores *scores)
{
    return scores->asked ? 100.0 * part / scores->asked : 0;
}

/* Inside of functions and across them. */
struct both {
    struct trail_scores side[2];
};

static struct both both_score(const struct history *history, uint32_t bits,
                              struct history_pair pair)
{
    struct both both;
    for (int across = 0; across < 2; across++)
        history_score(history, bits, across, PLACES, pair, &both.side[across]);
    return both;
}

static bool wrong_told(const struct both *both, size_t n, struct err *err)
{
    uint32_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += both[i].side[0].wrong + both[i].side[1].wrong;
    return !wrong ||
           err_set(err, ERR_FORMAT, "%u ways that were gone were not found: gait is wrong", wrong);
}

/* ---- by the number of directions */

static void length_put(struct lab_rows *rows, uint32_t bits, const struct both *both)
{
    struct lab_row *row = lab_row_add(rows);
    lab_cell(row, "%u", bits);
    for (int i = 0; i < 2; i++) {
        const struct trail_scores *scores = &both->side[i];
        lab_cell(row, "%.1f", percent(scores->counts, scores));
        lab_cell(row, "%.1f", percent(scores->history, scores));
        lab_cell(row, "%.1f", percent(scores->pair, scores));
        lab_cell(row, "%.1f", percent(scores->seen, scores));
    }
    lab_cell(row, "%.1f", percent(both->side[1].gave_up, &both->side[1]));
}

static const char *holds(bool it)
{
    return it ? "holds" : "does not hold";
}

static void lengths_claim(struct lab_rows *rows, const struct both *first, const struct both *usual)
{
    const struct trail_scores *in = &usual->side[0], *across = &usual->side[1];
    double counts = percent(in->counts, in), history = percent(in->history, in);
    double pair = percent(in->pair, in);
    lab_claim(rows,
              "longer ways are harder to tell: by history %.1f with 1 direction, %.1f with 8: %s",
              percent(first->side[0].history, &first->side[0]), history,
              holds(percent(first->side[0].history, &first->side[0]) > history));
    lab_claim(rows, "history tells more than counts: %.1f against %.1f with 8 directions: %s",
              history, counts,
              history > counts
                  ? "holds"
                  : "does not hold: what ran most often is one way, and history leaves several");
    lab_claim(rows, "another instruction of a pair tells more: %.1f: %s", pair,
              holds(pair > history));
    lab_claim(rows, "across functions less is told: %.1f: %s", percent(across->history, across),
              holds(percent(across->history, across) < history));
}

static bool ways_fill(struct lab_rows *rows, const struct modelled_run *run, struct err *err)
{
    struct history history;
    struct both both[LENGTHS];
    size_t usual = 0;
    if (!history_take(&history, run->command, run->steps_most, err))
        return false;
    for (size_t i = 0; i < LENGTHS; i++) {
        both[i] = both_score(&history, lengths[i], (struct history_pair){1, PAIR_MOST});
        length_put(rows, lengths[i], &both[i]);
        usual = lengths[i] == USUAL_BITS ? i : usual;
    }
    lab_claim(rows, "%llu steps, %zu of them to new places of %s",
              (unsigned long long)history.taken, history.steps.n, run->command[0]);
    lengths_claim(rows, &both[0], &both[usual]);
    history_release(&history);
    return wrong_told(both, LENGTHS, err);
}

const struct lab_table lab_ways = {
    .name = "history",
    .title = "of 100 places of a command, at how many one way alone fits so many directions, and "
             "the right one",
    .columns =
        (const char *const[]){"bits", "counts", "history", "pair", "seen", "counts across",
                              "history across", "pair across", "seen across", "given up", NULL},
    .modelled = ways_fill,
    .steps = STEPS_MOST,
};

/* ---- by how far a pair is apart */

static bool pairs_fill(struct lab_rows *rows, const struct modelled_run *run, struct err *err)
{
    static const struct history_pair ranges[] = {{1, 2},   {3, 5},   {6, 10},
                                                 {11, 20}, {21, 35}, {36, PAIR_MOST}};
    enum { RANGES = sizeof ranges / sizeof *ranges };
    struct history history;
    struct both both[RANGES];
    if (!history_take(&history, run->command, run->steps_most, err))
        return false;
    for (size_t i = 0; i < RANGES; i++) {
        struct lab_row *row = lab_row_add(rows);
        both[i] = both_score(&history, USUAL_BITS, ranges[i]);
        lab_cell(row, "%u to %u", ranges[i].least, ranges[i].most);
        for (int across = 0; across < 2; across++) {
            const struct trail_scores *scores = &both[i].side[across];
            lab_cell(row, "%.1f", percent(scores->history, scores));
            lab_cell(row, "%.1f", percent(scores->pair, scores));
        }
    }
    history_release(&history);
    return wrong_told(both, RANGES, err);
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
