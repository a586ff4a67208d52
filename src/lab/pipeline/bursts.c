#include "lab/pipeline/bursts.h"

#include "base/err.h"
#include "lab/pipeline/modelled_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WINDOW_CYCLES = 30, RETIRED_MOST = 1024 };

struct watch {
    uint64_t window;                /* that is being counted */
    uint32_t retired;               /* in it */
    uint64_t windows[RETIRED_MOST]; /* by how many retired in them */
};

static void window_close(struct watch *watch)
{
    watch->windows[watch->retired < RETIRED_MOST ? watch->retired : RETIRED_MOST - 1]++;
    watch->retired = 0;
}

static void watch_see(void *context, const struct pmu_step *step)
{
    struct watch *watch = context;
    if (step->aborted)
        return;
    uint64_t window = step->times->retire / WINDOW_CYCLES;
    if (window > watch->window) {
        window_close(watch);
        watch->windows[0] += window - watch->window - 1;
        watch->window = window;
    }
    watch->retired++;
}

struct figures {
    double windows, retired, mean, deviation; /* the last two by retirements, of windows' */
    uint32_t least, most;                     /* in a window with any */
    uint32_t low, high; /* the same without the hundredth of instructions at either end */
};

static struct figures figures_make(const uint64_t *windows)
{
    struct figures figures = {0};
    double square = 0, seen = 0;
    for (uint32_t i = 0; i < RETIRED_MOST; i++) {
        double n = (double)windows[i], weight = n * i;
        figures.windows += n;
        figures.retired += weight;
        figures.mean += weight * i;
        figures.least = windows[i] && i && !figures.least ? i : figures.least;
        figures.most = windows[i] ? i : figures.most;
    }
    figures.mean /= figures.retired;
    for (uint32_t i = 0; i < RETIRED_MOST; i++) {
        double weight = (double)windows[i] * i;
        square += weight * (i - figures.mean) * (i - figures.mean);
        figures.low = seen <= 0.01 * figures.retired ? i : figures.low;
        figures.high = seen < 0.99 * figures.retired ? i : figures.high;
        seen += weight;
    }
    figures.deviation = sqrt(square / figures.retired);
    return figures;
}

static bool bursts_fill(struct lab_rows *rows, const struct modelled_run *run, struct err *err)
{
    static struct watch watch;
    struct modelled_watch listen = {.see = watch_see, .context = &watch};
    memset(&watch, 0, sizeof watch);
    if (!modelled_run_watch(run, &listen, err))
        return false;
    window_close(&watch);
    struct figures figures = figures_make(watch.windows);
    struct lab_row *row = lab_row_add(rows);
    double ratio = (double)figures.most / figures.least;
    double inner = figures.low ? (double)figures.high / figures.low : (double)NAN;
    lab_text(row, lab_file_name(run->command[0]));
    lab_cell(row, "%.0f", figures.retired);
    lab_cell(row, "%.2f", figures.retired / figures.windows / WINDOW_CYCLES);
    lab_share(row, (double)watch.windows[0], figures.windows);
    lab_cell(row, "%.2f", (double)figures.least / WINDOW_CYCLES);
    lab_cell(row, "%.2f", (double)figures.most / WINDOW_CYCLES);
    lab_cell(row, "%.1f", ratio);
    lab_cell(row, "%.1f", inner);
    lab_share(row, figures.deviation, figures.mean);
    lab_claim(rows,
              "the most is 3 to 30 times the least that retires in a window: %.1f, %.1f without "
              "the hundredth at either end: %s",
              ratio, inner,
              (ratio >= 3 && ratio <= 30) || (inner >= 3 && inner <= 30) ? "holds"
                                                                         : "does not hold");
    double share = 100 * figures.deviation / figures.mean;
    lab_claim(rows,
              "the standard deviation, by retirements, is 20 to 42 %% of the mean: %.1f %%: %s",
              share, share >= 20 && share <= 42 ? "holds" : "does not hold");
    return true;
}

const struct lab_table lab_bursts = {
    .name = "pipeline-ipc",
    .title =
        "instructions a cycle that retire, in windows of 30 cycles; least: of windows with any",
    .columns = (const char *const[]){"command", "instructions", "a cycle", "empty windows", "least",
                                     "most", "most/least", "without 1 %", "deviation", NULL},
    .modelled = bursts_fill,
    .steps = MODELLED_STEPS,
};
