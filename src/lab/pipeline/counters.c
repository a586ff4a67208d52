#include "lab/pipeline/counters.h"

#include "base/err.h"
#include "lab/pipeline/kernel.h"
#include "model/pmu/counter.h"
#include "model/pmu/profileme.h"

#include <math.h>
#include <string.h>

/* The paper's machine is a Clovertown, whose interrupts come about 30 cycles late; the nearest that
 * is modelled is its grandchild. */
#define CORE "skylake"
enum { SKID = 30, ARMING = 3, PLACES = 100, MANY = 25, CODE_AT = 0x1000, HEAT = 100 };

/* What one counter, or ProfileMe, told of each place of the loop. */
struct told {
    const struct kernel *kernel;
    uint64_t at[PLACES], all;
};

static void told_add(void *context, struct avma at, struct avma cause)
{
    struct told *told = context;
    size_t place = kernel_find(told->kernel, at);
    (void)cause;
    if (place < told->kernel->n) /* not behind the loop */
        told->at[place]++, told->all++;
}

static void told_take(void *context, const struct sample *samples, size_t n)
{
    for (size_t i = 0; i < n; i++)
        told_add(context, (struct avma){samples[i].at[SAMPLE_PC]}, (struct avma){0});
}

enum { COUNTERS = 3, TOLD = COUNTERS + 1 };

struct bank {
    struct counter counters[COUNTERS];
    struct profileme *unit;
    struct told told[TOLD]; /* the last is ProfileMe's */
    struct kernel kernel;
};

static void bank_see(void *context, const struct pmu_step *step)
{
    struct bank *bank = context;
    for (int i = 0; i < COUNTERS; i++)
        counter_see(&bank->counters[i], step);
    profileme_see(bank->unit, step);
}

static bool bank_run(struct bank *bank, const struct kernel_line *lines, uint64_t turns,
                     const struct counter_setup *counters, uint64_t interval, struct err *err)
{
    struct kernel_machine machine;
    struct profileme_setup unit = {.interval = interval, .tags = 8, .buffer = 16};
    memset(bank, 0, sizeof *bank);
    if (!kernel_machine_open(&machine, CORE, err))
        return false;
    kernel_make(&bank->kernel, &machine, lines, (struct avma){CODE_AT});
    ASSERT(bank->kernel.n <= PLACES);
    for (int i = 0; i < TOLD; i++)
        bank->told[i].kernel = &bank->kernel;
    for (int i = 0; i < COUNTERS; i++)
        counter_init(&bank->counters[i], &counters[i], told_add, &bank->told[i]);
    bank->unit = profileme_make(&unit, told_take, &bank->told[COUNTERS]);
    machine.see = bank_see;
    machine.context = bank;
    kernel_run(&machine, &bank->kernel, turns);
    profileme_finish(bank->unit);
    profileme_free(bank->unit);
    kernel_machine_close(&machine);
    return true;
}

static double told_mean(const struct told *told)
{
    return (double)told->all / (double)told->kernel->n;
}

/* By the mean. */
static double told_deviation(const struct told *told)
{
    double mean = told_mean(told), sum = 0;
    for (size_t i = 0; i < told->kernel->n; i++)
        sum += ((double)told->at[i] - mean) * ((double)told->at[i] - mean);
    return sqrt(sum / (double)(told->kernel->n - 1)) / mean;
}

static const char *holds(bool it)
{
    return it ? "holds" : "does not hold";
}

/* Of many that are the same in a row one row is enough: their mean. */
static size_t row_put(struct lab_row *row, const struct bank *bank, size_t first)
{
    const struct kernel_place *place = &bank->kernel.at[first];
    size_t n = place->line->times > MANY ? place->line->times : 1;
    uint64_t offset = place->at.v - CODE_AT;
    if (n > 1)
        lab_cell(row, "%02zx: %zu times %s", (size_t)offset, n, place->line->text);
    else
        lab_cell(row, "%02zx: %s", (size_t)offset, place->line->text);
    for (int t = 0; t < TOLD; t++) {
        double sum = 0;
        for (size_t i = first; i < first + n; i++)
            sum += (double)bank->told[t].at[i];
        lab_cell(row, "%.0f", sum / (double)n);
        lab_cell(row, "%.2f", sum / (double)n / told_mean(&bank->told[t]));
    }
    return n;
}

static void instruction_rows(struct lab_rows *rows, const struct bank *bank)
{
    for (size_t i = 0; i < bank->kernel.n;)
        i += row_put(lab_row_add(rows), bank, i);
}

static void deviation_row(struct lab_rows *rows, const struct bank *bank)
{
    struct lab_row *row = lab_row_add(rows);
    lab_text(row, "standard deviation");
    for (int t = 0; t < TOLD; t++) {
        double deviation = told_deviation(&bank->told[t]);
        lab_cell(row, "%.0f", deviation * told_mean(&bank->told[t]));
        lab_cell(row, "%.2f", deviation);
    }
}

/* ---- one block */

static const struct kernel_line block[] = {
    {"4883c201", "add rdx, 1", 0, 0},
    {"4883ca02", "or rdx, 2", 0, 0},
    {"4883c203", "add rdx, 3", 0, 0},
    {"4883ca04", "or rdx, 4", 0, 0},
    {"4883c205", "add rdx, 5", 0, 0},
    {"4883ca06", "or rdx, 6", 0, 0},
    {"4883c207", "add rdx, 7", 0, 0},
    {"4883ca08", "or rdx, 8", 0, 0},
    {"4883c209", "add rdx, 9", 0, 0},
    {"4883ca0a", "or rdx, 10", 0, 0},
    {"4883c20b", "add rdx, 11", 0, 0},
    {"4883ca0c", "or rdx, 12", 0, 0},
    {"4883c20d", "add rdx, 13", 0, 0},
    {"4883ca0e", "or rdx, 14", 0, 0},
    {"4883c20f", "add rdx, 15", 0, 0},
    {"4883ca10", "or rdx, 16", 0, 0},
    {"83c601", "add esi, 1", 0, 0},
    {"4839ca", "cmp rdx, rcx", 0, 0},
    {"76b8", "jbe", 0, 0},
    {NULL, NULL, 0, 0},
};
enum { BLOCK_TURNS = 500000, BLOCK_PERIOD = 2003 };

static size_t unseen_of(const struct bank *bank)
{
    size_t n = 0;
    for (size_t i = 0; i < bank->kernel.n; i++)
        n += !bank->told[0].at[i] && !bank->told[1].at[i];
    return n;
}

static bool block_fill(struct lab_rows *rows, char *const *files, size_t n, struct err *err)
{
    static struct bank bank;
    struct counter_setup counters[COUNTERS] = {
        {.event = COUNTER_RETIRED, .period = BLOCK_PERIOD, .skid_least = SKID, .skid_most = SKID},
        {.event = COUNTER_RETIRED,
         .period = BLOCK_PERIOD,
         .spread = HEAT,
         .skid_least = SKID,
         .skid_most = SKID},
        {.event = COUNTER_RETIRED, .period = BLOCK_PERIOD, .precise = true, .arming = ARMING},
    };
    (void)files;
    (void)n;
    if (!bank_run(&bank, block, BLOCK_TURNS, counters, BLOCK_PERIOD, err))
        return false;
    instruction_rows(rows, &bank);
    deviation_row(rows, &bank);
    double deviation[TOLD];
    for (int t = 0; t < TOLD; t++)
        deviation[t] = told_deviation(&bank.told[t]);
    lab_claim(rows,
              "counts of one block differ by a factor of two to three: standard deviation 1.05 of "
              "the mean, here %.2f: %s",
              deviation[0], holds(deviation[0] > 0.5));
    lab_claim(rows, "random periods make it 2.4 times less: %.2f times: %s",
              deviation[0] / deviation[1], holds(deviation[0] / deviation[1] > 1.5));
    lab_claim(rows, "precise ones are worse than those with skid: %.2f: %s", deviation[2],
              holds(deviation[2] > deviation[0]));
    lab_claim(rows,
              "who always retires with another has no samples (there: cmp): %zu of %zu have none, "
              "whether periods are fixed or random: %s",
              unseen_of(&bank), bank.kernel.n, holds(unseen_of(&bank) > 0));
    lab_claim(rows,
              "records of ProfileMe differ by chance alone: %.2f, of so many expected %.2f: %s",
              deviation[3], 1 / sqrt(told_mean(&bank.told[3])),
              holds(deviation[3] < 1.5 / sqrt(told_mean(&bank.told[3]))));
    kernel_release(&bank.kernel);
    return true;
}

const struct lab_table lab_counters_block = {
    .name = "counters-1",
    .title = "samples of a loop of one block, whose instructions ran equally often; n: by the mean",
    .columns = (const char *const[]){"instruction", "fixed", "n", "random", "n", "precise", "n",
                                     "ProfileMe", "n", NULL},
    .streams = block_fill,
    .alone = true,
};

/* ---- a stall */

static const struct kernel_line stall[] = {
    {"4901c8", "add r8, rcx", 0, 3},
    {"480faff2", "imul rsi, rdx", 0, 50},
    {"4883c60b", "add rsi, 11", 0, 0},
    {"4889f0", "mov rax, rsi", 0, 0},
    {"48c1e821", "shr rax, 33", 0, 0},
    {"4c0304c3", "add r8, [rbx+rax*8]", 1 << 26, 0},
    {"4901c8", "add r8, rcx", 0, 12},
    {"48ffc1", "inc rcx", 0, 0},
    {"75b0", "jne", 0, 0},
    {NULL, NULL, 0, 0},
};
enum { STALL_LOAD = 56, STALL_TURNS = 150000, STALL_PERIOD = 2003 };

/* Behind the load, how many in a row have less than half of what they should. */
static size_t shadow_of(const struct told *told)
{
    size_t n = 0;
    while (STALL_LOAD + 1 + n < told->kernel->n &&
           2 * (double)told->at[STALL_LOAD + 1 + n] < told_mean(told))
        n++;
    return n;
}

static bool stall_fill(struct lab_rows *rows, char *const *files, size_t n, struct err *err)
{
    static struct bank bank;
    struct counter_setup counters[COUNTERS] = {
        {.event = COUNTER_RETIRED, .period = STALL_PERIOD, .spread = HEAT},
        {.event = COUNTER_CYCLES, .period = STALL_PERIOD, .spread = HEAT},
        {.event = COUNTER_DTLB_MISSES, .period = HEAT, .spread = HEAT / 2},
    };
    (void)files;
    (void)n;
    for (int i = 0; i < COUNTERS; i++)
        counters[i].skid_least = counters[i].skid_most = SKID;
    if (!bank_run(&bank, stall, STALL_TURNS, counters, STALL_PERIOD, err))
        return false;
    instruction_rows(rows, &bank);
    double load = (double)bank.told[0].at[STALL_LOAD] / told_mean(&bank.told[0]);
    lab_claim(rows,
              "who stalls collects the samples of others: the load has %.1f times its share of "
              "retired instructions: %s",
              load, holds(load > 2));
    lab_claim(rows,
              "those behind it are in its shadow: %zu of them with less than half their share: %s",
              shadow_of(&bank.told[0]), holds(shadow_of(&bank.told[0]) >= 4));
    lab_claim(
        rows,
        "with samples of time that does no harm: they only come later: %.1f times at the load",
        (double)bank.told[1].at[STALL_LOAD] / told_mean(&bank.told[1]));
    double right = (double)bank.told[3].at[STALL_LOAD] / told_mean(&bank.told[3]);
    lab_claim(rows, "ProfileMe gives the load its share of what is fetched: %.2f times: %s", right,
              holds(fabs(right - 1) < 0.25));
    kernel_release(&bank.kernel);
    return true;
}

const struct lab_table lab_counters_stall = {
    .name = "counters-2",
    .title = "samples of a loop with a load that misses; n: by the mean",
    .columns = (const char *const[]){"instruction", "retired", "n", "cycles", "n", "TLB misses",
                                     "n", "ProfileMe", "n", NULL},
    .streams = stall_fill,
    .alone = true,
};
