#include "lab/pipeline/bottlenecks.h"

#include "base/err.h"
#include "lab/pipeline/kernel.h"
#include "lab/pipeline/pairs.h"

#include <math.h>

/* The machine of the paper. */
#define CORE "21264"
enum { INTERVAL = 100, LOOPS = 3, ROWS_MOST = 64 };

/* One after the other, hardly anything beside; loads that wait for each other; and loads that miss
 * as well, but with enough to do meanwhile. */
static const struct kernel_line chain[] = {
    {"480fafc2", "imul rax, rdx", 0, 4},
    {"4883c601", "add rsi, 1", 0, 0},
    {"75ea", "jne", 0, 0},
    {NULL, NULL, 0, 0},
};
static const struct kernel_line chase[] = {
    {"488b1b", "mov rbx, [rbx]", 1 << 19, 0},
    {"4801d8", "add rax, rbx", 0, 2},
    {"4883c601", "add rsi, 1", 0, 0},
    {"75f0", "jne", 0, 0},
    {NULL, NULL, 0, 0},
};
static const struct kernel_line stream[] = {
    {"488b0b", "mov rcx, [rbx]", 1 << 19, 0},
    {"4983c001", "add r8, 1", 0, 0},
    {"4983c101", "add r9, 1", 0, 0},
    {"4983c201", "add r10, 1", 0, 0},
    {"4983c301", "add r11, 1", 0, 0},
    {"4983c401", "add r12, 1", 0, 0},
    {"4983c501", "add r13, 1", 0, 0},
    {"4983c601", "add r14, 1", 0, 0},
    {"4983c701", "add r15, 1", 0, 0},
    {"4883c601", "add rsi, 1", 0, 0},
    {"75d5", "jne", 0, 0},
    {NULL, NULL, 0, 0},
};
static const struct {
    const char *name;
    const struct kernel_line *lines;
    uint64_t turns;
} loops[LOOPS] = {{"chain", chain, 20000}, {"chase", chase, 15000}, {"stream", stream, 450000}};

static void watch_see(void *context, const struct pmu_step *step)
{
    pairs_see(context, step);
}

/* One instruction: what it cost, and what was wasted meanwhile. */
struct point {
    const char *loop, *text;
    double times, latency, wasted;
    struct metric_estimate estimate;
};

struct points {
    struct point at[ROWS_MOST];
    size_t n, first[LOOPS + 1];
};

static void points_add(struct points *points, const struct pairs *pairs,
                       const struct kernel *kernel, const char *name)
{
    for (size_t i = 0; i < kernel->n && points->n < ROWS_MOST; i++) {
        uint64_t records;
        const struct truth_row *row = truth_find(&pairs->truth, kernel->at[i].at);
        points->at[points->n++] =
            (struct point){.loop = name,
                           .text = kernel->at[i].line->text,
                           .times = (double)row->retired,
                           .latency = (double)row->in_progress,
                           .wasted = pairs_wasted(pairs, row),
                           .estimate = pairs_estimate(pairs, kernel->at[i].at, &records)};
    }
}

static void loops_run(struct points *points, struct pairs *pairs, struct kernel_machine *machine)
{
    struct kernel kernels[LOOPS];
    machine->see = watch_see;
    machine->context = pairs;
    for (size_t i = 0; i < LOOPS; i++) {
        kernel_make(&kernels[i], machine, loops[i].lines, (struct avma){0x1000 * (i + 1)});
        kernel_run(machine, &kernels[i], loops[i].turns);
    }
    pairs_finish(pairs);
    for (size_t i = 0; i < LOOPS; i++) {
        points->first[i] = points->n;
        points_add(points, pairs, &kernels[i], loops[i].name);
        kernel_release(&kernels[i]);
    }
    points->first[LOOPS] = points->n;
}

/* ---- what is claimed */

static double correlation(const struct point *points, size_t n)
{
    double x = 0, y = 0, xx = 0, xy = 0, yy = 0, count = (double)n;
    for (size_t i = 0; i < n; i++) {
        x += points[i].latency;
        y += points[i].wasted;
    }
    for (size_t i = 0; i < n; i++) {
        double dx = points[i].latency - x / count, dy = points[i].wasted - y / count;
        xx += dx * dx;
        xy += dx * dy;
        yy += dy * dy;
    }
    return xy / sqrt(xx * yy);
}

/* Of those with less latency than the one that has most: the one that wastes most. */
static void inversion_claim(struct lab_rows *rows, const struct points *points)
{
    const struct point *longest = &points->at[0], *worst = &points->at[0];
    for (size_t i = 0; i < points->n; i++)
        if (points->at[i].latency > longest->latency)
            longest = &points->at[i];
    for (size_t i = 0; i < points->n; i++)
        if (points->at[i].wasted > worst->wasted)
            worst = &points->at[i];
    lab_claim(rows,
              "the instruction with most latency wastes fewer slots than others: %s of %s, %.2e "
              "cycles and %.2e slots, against %s of %s, %.2e and %.2e: %s",
              longest->text, longest->loop, longest->latency, longest->wasted, worst->text,
              worst->loop, worst->latency, worst->wasted,
              worst != longest ? "holds" : "does not hold");
}

static void points_claim(struct lab_rows *rows, const struct points *points)
{
    uint32_t covered = 0, within = 0, known = 0;
    double least = 1;
    for (size_t i = 0; i < points->n; i++) {
        const struct point *point = &points->at[i];
        if (isnan(point->estimate.value))
            continue;
        double sigma = (point->estimate.hi - point->estimate.lo) / 2 / 1.96;
        known++;
        covered += point->wasted >= point->estimate.lo && point->wasted <= point->estimate.hi;
        within += fabs(point->wasted - point->estimate.value) <= sigma;
    }
    for (size_t i = 0; i < LOOPS; i++) {
        double inside =
            correlation(&points->at[points->first[i]], points->first[i + 1] - points->first[i]);
        least = inside < least ? inside : least;
    }
    inversion_claim(rows, points);
    lab_claim(rows,
              "inside of a loop latency and wasted slots go together: correlation at least %.2f; "
              "over all loops %.2f: %s",
              least, correlation(points->at, points->n),
              least > correlation(points->at, points->n) && least > 0.9 ? "holds"
                                                                        : "does not hold");
    lab_claim(rows,
              "pairs estimate what is exact: %u of %u intervals of 95 %% hold it, %u of one "
              "standard deviation: %s",
              covered, known, within, covered >= 0.85 * known ? "holds" : "does not hold");
}

static void points_put(struct lab_rows *rows, const struct points *points)
{
    for (size_t i = 0; i < points->n; i++) {
        const struct point *point = &points->at[i];
        struct lab_row *row = lab_row_add(rows);
        lab_point(rows, point->loop, point->text, point->latency, point->wasted);
        lab_cell(row, "%s: %s", point->loop, point->text);
        lab_cell(row, "%.0f", point->times);
        lab_cell(row, "%.3e", point->latency);
        lab_cell(row, "%.3e", point->wasted);
        lab_cell(row, "%.3e", point->estimate.value);
        lab_cell(row, "%.3e", point->estimate.lo);
        lab_cell(row, "%.3e", point->estimate.hi);
    }
}

static bool bottlenecks_fill(struct lab_rows *rows, char *const *files, size_t n, struct err *err)
{
    static struct points points;
    struct kernel_machine machine;
    struct pairs pairs;
    (void)files;
    (void)n;
    points = (struct points){0};
    if (!kernel_machine_open(&machine, CORE, err))
        return false;
    bool good = pairs_open(&pairs, &machine.model, INTERVAL, ROWS_MOST, err);
    if (good) {
        loops_run(&points, &pairs, &machine);
        points_put(rows, &points);
        points_claim(rows, &points);
        lab_claim(rows, "%llu selections found no tag",
                  (unsigned long long)profileme_counts(pairs.unit)->collided);
        pairs_release(&pairs);
    }
    kernel_machine_close(&machine);
    return good;
}

const struct lab_table lab_bottlenecks = {
    .name = "pipeline-7",
    .title = "latency (cycles from fetch until ready to retire) against wasted slots of issue, of "
             "three loops",
    .columns = (const char *const[]){"instruction", "times", "latency", "wasted", "from pairs",
                                     "lo", "hi", NULL},
    .streams = bottlenecks_fill,
    .scatter = &(const struct lab_scatter){.x = "latency, cycles",
                                           .y = "wasted slots",
                                           .name = "instruction"},
    .alone = true,
};
