#include "lab/events/event_weights.h"
#include "lab/events/events.h"

#include <math.h>

/* The mean of what is off, by the mean of what is true. */
static double error_of(const struct event_program *program, const double *weights)
{
    double off = 0, all = 0;
    for (size_t i = 0; i < program->n; i++) {
        double said = 0;
        for (size_t c = 0; c < EVENT_COLUMNS; c++)
            said += weights[c] * program->x[i * EVENT_COLUMNS + c];
        off += fabs(said - program->y[i]);
        all += program->y[i];
    }
    return all > 0 ? off / all : 0;
}

struct folds {
    double least[EVENT_COLUMNS], most[EVENT_COLUMNS], sum[EVENT_COLUMNS];
    double error, alone, n; /* on programs that were not trained on; of INST_RETIRED alone */
};

static void fold_add(struct folds *folds, const struct event_program *judged, const double *weights)
{
    double alone[EVENT_COLUMNS] = {1};
    for (int c = 0; c < EVENT_COLUMNS; c++) {
        folds->least[c] = folds->n > 0 ? fmin(folds->least[c], weights[c]) : weights[c];
        folds->most[c] = folds->n > 0 ? fmax(folds->most[c], weights[c]) : weights[c];
        folds->sum[c] += weights[c];
    }
    folds->error += error_of(judged, weights);
    folds->alone += error_of(judged, alone);
    folds->n++;
}

static const char *sign_verdict(const struct folds *folds, int e)
{
    bool paper = event_rows[e].paper > 0;
    if ((folds->least[e] > 0) != (folds->most[e] > 0))
        return "differs between folds";
    return (folds->least[e] > 0) == paper ? "holds" : "does not hold";
}

static void rows_put(struct lab_rows *rows, const struct folds *folds, const double *weights)
{
    for (int e = 0; e < EVENT_ROWS; e++) {
        struct lab_row *row = lab_row_add(rows);
        lab_text(row, event_rows[e].name);
        lab_text(row, event_rows[e].mask);
        lab_cell(row, "%+.4f", weights[e]);
        lab_cell(row, "%+.4f to %+.4f", folds->least[e], folds->most[e]);
        lab_cell(row, "%+.4f", event_rows[e].paper);
        lab_text(row, sign_verdict(folds, e));
    }
}

static void claims_put(struct lab_rows *rows, const struct folds *folds, const double *w)
{
    size_t largest = 0, agree = 0;
    for (size_t e = 0; e < EVENT_ROWS; e++) {
        largest = fabs(w[e]) > fabs(w[largest]) ? e : largest;
        agree += (w[e] > 0) == (event_rows[e].paper > 0);
    }
    lab_claim(rows, "INST_RETIRED with random periods weighs most: %s does: %s",
              event_rows[largest].name, largest == 0 ? "holds" : "does not hold");
    lab_claim(rows, "PEBS weighs less than it, and is positive: %+.3f: %s", w[1],
              w[1] > 0 && w[1] < w[0] ? "holds" : "does not hold");
    lab_claim(rows, "cycles weigh less than it, and are positive: %+.3f: %s", w[4],
              w[4] > 0 && w[4] < w[0] ? "holds" : "does not hold");
    lab_claim(rows, "stalls (no instruction retires, DTLB misses) are negative: %+.3f, %+.3f: %s",
              w[2], w[5], w[2] < 0 && w[5] < 0 ? "holds" : "does not hold");
    lab_claim(rows, "four that retire at once are negative: %+.3f: %s", w[3],
              w[3] < 0 ? "holds" : "does not hold");
    lab_claim(rows, "misses of code say next to nothing (0.009): %+.3f: %s", w[6],
              fabs(w[6]) < 0.05 ? "holds" : "does not hold");
    lab_claim(rows, "signs: %zu of %d as in the paper", agree, EVENT_ROWS);
    lab_claim(rows,
              "error on a program that was not trained on, by its true counts: %.3f with all "
              "events, %.3f with INST_RETIRED alone, mean of %.0f: %s",
              folds->error / folds->n, folds->alone / folds->n, folds->n,
              folds->error < folds->alone ? "more events are better" : "more events are no better");
}

static bool weights_fill(struct lab_rows *rows, const struct lab_recording *all, size_t n,
                         struct err *err)
{
    struct event_program *programs = mem_alloc(n * sizeof *programs + 1);
    struct folds folds = {0};
    double weights[EVENT_COLUMNS];
    for (size_t i = 0; i < n; i++)
        if (!event_blocks_check(&all[i], err)) {
            mem_free(programs);
            return false;
        }
    for (size_t i = 0; i < n; i++)
        event_program_read(&programs[i], &all[i]);
    for (size_t i = 0; i < n; i++) {
        event_weights_train(programs, n, n > 1 ? i : n, weights);
        fold_add(&folds, &programs[i], weights);
    }
    event_weights_train(programs, n, n, weights);
    rows_put(rows, &folds, weights);
    claims_put(rows, &folds, weights);
    for (size_t i = 0; i < n; i++)
        event_program_release(&programs[i]);
    mem_free(programs);
    return true;
}

const struct lab_table lab_events_weights = {
    .name = "events-table-1",
    .title = "weights of events in a linear regression of true block counts on samples",
    .columns = (const char *const[]){"event", "mask", "weight", "without one program each",
                                     "the paper's", "its sign", NULL},
    .recordings = weights_fill,
};
