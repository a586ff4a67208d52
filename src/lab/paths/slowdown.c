#include "lab/paths/slowdown.h"

#include "base/err.h"
#include "profile/profile.h"
#include "analysis/report/cost.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Recordings that were asked for the same; means of their programs. */
struct group {
    const char *events;
    bool callers;
    double window, hz; /* as asked for; 0: gait chose */
    double windows, instructions, interrupts, seconds;
    double programs, cost[4], measured, n_measured; /* percent */
};
enum {
    PAPER_HZ = 4000
}; /* one in two of their interrupts, of 62,000 instructions each at 500 MHz */
enum { COST_INTERRUPTS, COST_WALKING, COST_COPYING, COST_TOOL, COSTS };

struct groups {
    VEC(struct group);
};

static double fact_number(const struct profile *profile, const char *key)
{
    const char *text = profile_fact_find(profile, key);
    double number = 0;
    char behind[16] = "";
    int read = text ? sscanf(text, "%lf %15s", &number, behind) : 0;
    return read == 1 || (read == 2 && strcmp(behind, "%") != 0) ? number : 0;
}

static struct group *group_find(struct groups *groups, const struct profile *profile)
{
    const char *events = profile_fact_find(profile, "events");
    struct group key = {.events = events ? events : "?",
                        .callers = profile_fact_find(profile, "context") != NULL,
                        .window = fact_number(profile, "window"),
                        .hz = fact_number(profile, "budget")};
    for (size_t i = 0; i < groups->n; i++) {
        struct group *at = &groups->at[i];
        if (strcmp(at->events, key.events) == 0 && at->callers == key.callers &&
            at->window >= key.window && at->window <= key.window && at->hz >= key.hz &&
            at->hz <= key.hz)
            return at;
    }
    *vec_push(groups) = key;
    return &groups->at[groups->n - 1];
}

static double all_cost(const struct cost *cost)
{
    return cost->agent + cost->tool;
}

/* CPU seconds of the program and gait in this recording by those that the program needs alone, as
 * the cheapest recording of the same command has them, in percent beyond; not a number: there is no
 * other recording of it. */
static double measured(const struct lab_recording *of, const struct lab_recording *all, size_t n)
{
    const struct lab_recording *base = NULL;
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].profile->command, of->profile->command) == 0) {
            struct cost cost = cost_of(&all[i].profile->totals);
            struct cost least = cost_of(&(base ? base : &all[i])->profile->totals);
            if (!base || all_cost(&cost) < all_cost(&least))
                base = &all[i];
        }
    if (!base || base == of)
        return NAN;
    const struct totals *totals = &of->profile->totals;
    double used =
        (double)(totals->user_ns + totals->kernel_ns) / 1e9 + cost_of(totals).tool_ms / 1e3;
    double alone = cost_of(&base->profile->totals).alone;
    return alone > 0 ? 100 * (used / alone - 1) : (double)NAN;
}

static void group_add(struct group *group, const struct lab_recording *of,
                      const struct lab_recording *all, size_t n)
{
    const struct totals *totals = &of->profile->totals;
    struct cost cost = cost_of(totals);
    double beyond = measured(of, all, n);
    group->programs++;
    group->windows += (double)totals->windows;
    group->instructions += (double)totals->instructions;
    group->interrupts += (double)totals->interrupts;
    group->seconds += cost.alone;
    group->cost[COST_INTERRUPTS] += cost.interrupts;
    group->cost[COST_WALKING] += cost.walking;
    group->cost[COST_COPYING] += cost.copying;
    group->cost[COST_TOOL] += cost.tool;
    if (!isnan(beyond)) {
        group->measured += beyond;
        group->n_measured++;
    }
}

static double group_slowdown(const struct group *group)
{
    double sum = 0;
    for (int i = 0; i < COSTS; i++)
        sum += group->cost[i];
    return sum / group->programs;
}

static void ratio_cell(struct lab_row *row, int decimals, double part, double whole)
{
    if (whole > 0)
        lab_cell(row, "%.*f", decimals, part / whole);
    else
        lab_text(row, "");
}

static void group_show(struct lab_rows *rows, const struct group *group)
{
    struct lab_row *row = lab_row_add(rows);
    const char *more = strstr(group->events, "edge,call,") == group->events
                           ? group->events + strlen("edge,call,")
                           : "edges";
    lab_cell(row, "%s%s", more, group->callers ? " by caller" : "");
    ratio_cell(row, 0, group->window > 0 ? group->window : group->instructions,
               group->window > 0 ? 1 : group->windows);
    ratio_cell(row, 0, group->interrupts, group->seconds);
    lab_cell(row, "%.0f", group->programs);
    for (int i = 0; i < COSTS; i++)
        ratio_cell(row, 2, group->cost[i], group->programs);
    lab_cell(row, "%.2f", group_slowdown(group));
    ratio_cell(row, 2, group->measured, group->n_measured);
}

/* ---- what is claimed */

/* The same windows as often, of other events; NULL: there is none. */
static const struct group *group_other(const struct groups *groups, const struct group *of,
                                       const char *events, bool callers)
{
    for (size_t i = 0; i < groups->n; i++) {
        const struct group *at = &groups->at[i];
        if (strcmp(at->events, events) == 0 && at->callers == callers &&
            fabs(at->window - of->window) < 0.5 && fabs(at->hz - of->hz) < 0.5)
            return at;
    }
    return NULL;
}

/* Rows that differ in nothing but what they record. */
static void options_claim(struct lab_rows *rows, const struct groups *groups)
{
    for (size_t i = 0; i < groups->n; i++) {
        const struct group *plain = &groups->at[i];
        if (strcmp(plain->events, "edge,call") != 0)
            continue;
        const struct group *values = group_other(groups, plain, "edge,call,value", false);
        const struct group *callers = group_other(groups, plain, "edge,call,value", true);
        const struct group *addresses = group_other(groups, plain, "edge,call,address", false);
        if (values)
            lab_claim(rows,
                      "values cost more than what is recorded without: %s: %.2f and %.2f %% "
                      "(the paper: 10.7 and 3.9 %%)",
                      group_slowdown(values) > group_slowdown(plain) ? "holds" : "does not hold",
                      group_slowdown(values), group_slowdown(plain));
        if (values && callers)
            lab_claim(rows,
                      "by who called they cost little more: %s: %.2f and %.2f %% (the paper: "
                      "12.2 and 10.7 %%)",
                      group_slowdown(callers) < 1.25 * group_slowdown(values) ? "holds"
                                                                              : "does not hold",
                      group_slowdown(callers), group_slowdown(values));
        if (values && addresses)
            lab_claim(rows,
                      "addresses, for conflicts, cost less than values: %s: %.2f and %.2f %% "
                      "(the paper, of 128 instructions at one interrupt in 128: 5.9 and 10.7 %%)",
                      group_slowdown(addresses) < group_slowdown(values) ? "holds"
                                                                         : "does not hold",
                      group_slowdown(addresses), group_slowdown(values));
    }
}

/* Of rows that are alike but for their windows: the shortest and the longest. `product`: and as
 * many instructions a second; else as often. */
static bool ends_find(const struct groups *groups, bool product, const struct group **shortest,
                      const struct group **longest)
{
    *shortest = *longest = NULL;
    for (size_t i = 0; i < groups->n; i++)
        for (size_t k = 0; k < groups->n; k++) {
            const struct group *a = &groups->at[i], *b = &groups->at[k];
            bool alike = strcmp(a->events, b->events) == 0 && a->callers == b->callers;
            double apart = product ? a->window * a->hz / (b->window * b->hz) : a->hz / b->hz;
            if (!alike || a->hz <= 0 || a->window <= 0 || a->window >= b->window ||
                fabs(apart - 1) > 0.05)
                continue;
            if (!*shortest || b->window / a->window > (*longest)->window / (*shortest)->window) {
                *shortest = a;
                *longest = b;
            }
        }
    return *shortest;
}

static void lengths_claim(struct lab_rows *rows, const struct groups *groups)
{
    const struct group *a, *b;
    if (ends_find(groups, false, &a, &b)) {
        double each = (group_slowdown(b) - group_slowdown(a)) / (b->window - a->window);
        double rate = a->hz, theirs = each * PAPER_HZ / rate;
        lab_claim(
            rows,
            "an instruction more in each window costs about 1 %% at 4,000 windows a second: %s: "
            "%.3f %%; at %.0f a second %.2f %% with %.0f and %.2f %% with %.0f instructions "
            "(the paper interprets: 10.7 %% with 4, 40.4 %% with 32)",
            theirs > 0.5 && theirs < 2 ? "holds" : "does not hold", theirs, rate, group_slowdown(a),
            a->window, group_slowdown(b), b->window);
    }
    if (ends_find(groups, true, &a, &b))
        lab_claim(rows,
                  "as many instructions in fewer, longer windows cost less: %s: %.2f %% of "
                  "%.0f, %.0f times a second, and %.2f %% of %.0f, %.0f times (the paper: 10.7 %% "
                  "of 4 and 9.2 %% of 64)",
                  group_slowdown(b) < group_slowdown(a) ? "holds" : "does not hold",
                  group_slowdown(a), a->window, a->hz, group_slowdown(b), b->window, b->hz);
}

static bool slowdown_fill(struct lab_rows *rows, const struct lab_recording *all, size_t n,
                          struct err *err)
{
    struct groups groups = {0};
    for (size_t i = 0; i < n; i++)
        if (all[i].profile->mode == PROFILE_SAMPLED)
            group_add(group_find(&groups, all[i].profile), &all[i], all, n);
    if (!groups.n)
        return err_set(err, ERR_FORMAT,
                       "%s: has no windows; sampled recordings do, without --exact and --plain",
                       all[0].file);
    for (size_t i = 0; i < groups.n; i++)
        group_show(rows, &groups.at[i]);
    options_claim(rows, &groups);
    lengths_claim(rows, &groups);
    vec_release(&groups);
    return true;
}

static const char *const columns[] = {
    "recorded", "window",     "interrupts/s", "programs", "interrupts %", "walking %", "copying %",
    "tool %",   "slowdown %", "measured %",   NULL};
const struct lab_table lab_slowdown = {
    .name = "sampling-2",
    .title = "slowdown by what is recorded beside edges and calls, length of windows and rate, "
             "mean of programs; by "
             "gait's own measure, and against the cheapest recording of the same command",
    .columns = columns,
    .recordings = slowdown_fill};
