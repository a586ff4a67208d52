#include "analysis/pipeline/run_sums.h"

#include "analysis/counts/scene.h"
#include "analysis/pipeline/modelled.h"
#include "base/err.h"
#include "model/core/times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct estimate unknown = {NAN, NAN, NAN};

struct estimate run_instructions(const struct profile *profile)
{
    const struct totals *totals = &profile->totals;
    double exact = (double)totals->instructions;
    if (profile->mode == PROFILE_EXACT)
        return (struct estimate){exact, exact, exact};
    const struct sums all = {
        .count = totals->count, .count_yy = totals->count_xx, .count_xy = totals->count_xx};
    struct quantity quantity = quantity_of(profile, &all);
    return totals->count ? estimate_count(profile, &quantity) : unknown;
}

/* Relative half widths of independent factors; a half that is not known stays unknown. */
static double half_of(struct estimate estimate)
{
    return estimate.value > 0
               ? fmax(estimate.hi / estimate.value - 1, 1 - estimate.lo / estimate.value)
               : 0;
}

static struct estimate product(struct estimate a, struct estimate b, double scale)
{
    double value = a.value * b.value * scale, half = hypot(half_of(a), half_of(b));
    return (struct estimate){value, value * fmax(1 - half, 0), value * (1 + half)};
}

/* ---- counts */

static bool is_branch(enum edge_kind kind)
{
    return kind != EDGE_SPLIT && kind != EDGE_SYSCALL;
}

static bool is_taken(enum edge_kind kind)
{
    return is_branch(kind) && kind != EDGE_FALL;
}

/* All edges of some kinds as one sum over batches: what is in a batch varies together, so
 * deviations are added. */
static struct estimate edges_of(const struct profile *profile, uint32_t kinds)
{
    struct quantity all = {0};
    for (uint32_t i = 0; i < profile->edges.n; i++) {
        const struct edge_key *key = map_key(&profile->edges.keys, i);
        if (!(kinds >> key->kind & 1))
            continue;
        struct quantity one = quantity_of(profile, &profile->edges.at[i]);
        quantity_add(&all, &one);
    }
    return estimate_count(profile, &all);
}

static uint32_t kinds_that(bool (*wanted)(enum edge_kind kind))
{
    uint32_t kinds = 0;
    for (uint32_t kind = 0; kind < EDGE_KINDS; kind++)
        kinds |= (uint32_t)wanted((enum edge_kind)kind) << kind;
    return kinds;
}

static struct estimate per_tick_of(const struct profile *profile, struct estimate instructions)
{
    const char *hertz = profile_fact_find(profile, "tsc_hz");
    double ticks = hertz ? (double)profile->totals.user_ns / 1e9 * strtod(hertz, NULL) : 0;
    if (profile->mode == PROFILE_EXACT ||
        !(ticks > 0)) /* the time of copies is not the program's */
        return unknown;
    return (struct estimate){instructions.value / ticks, instructions.lo / ticks,
                             instructions.hi / ticks};
}

/* ---- the model */

static struct estimate event_of(const struct modelled *modelled, uint32_t event,
                                struct estimate instructions)
{
    uint32_t field = FIELD_EVENT + (uint32_t)__builtin_ctz(event);
    return product(
        modelled_ratio(modelled, &modelled->all, field, 1, &modelled->all, FIELD_RETIRED, 1),
        instructions, 1);
}

static void model_make(struct run_sums *sums, struct scene *scene)
{
    struct modelled modelled;
    struct err err;
    if (!modelled_has(scene->sides[0]) || !modelled_make(&modelled, scene, NULL, &err))
        return;
    snprintf(sums->core, sizeof sums->core, "%s", modelled.model.name);
    snprintf(sums->core_why, sizeof sums->core_why, "%s", modelled.core_why);
    sums->addressed = modelled.addressed;
    sums->mispredicted = event_of(&modelled, CORE_MISPREDICT, sums->instructions);
    if (modelled.addressed) {
        sums->l1d_misses = event_of(&modelled, CORE_L1D_MISS, sums->instructions);
        sums->l2_misses = event_of(&modelled, CORE_L2_MISS, sums->instructions);
        sums->l3_misses = event_of(&modelled, CORE_L3_MISS, sums->instructions);
    }
    sums->model_ipc = modelled_ratio(&modelled, &modelled.all, FIELD_RETIRED, 1, &modelled.all,
                                     FIELD_TIME, ACCOUNT_STATES);
    modelled_release(&modelled);
}

void run_sums_make(struct run_sums *sums, struct scene *scene, bool model)
{
    const struct profile *profile = scene->sides[0];
    bool counted = profile->mode == PROFILE_EXACT || profile->totals.count;
    *sums = (struct run_sums){.instructions = unknown,
                              .per_tick = unknown,
                              .branches = unknown,
                              .conditional = unknown,
                              .taken = unknown,
                              .syscalls = unknown,
                              .mispredicted = unknown,
                              .l1d_misses = unknown,
                              .l2_misses = unknown,
                              .l3_misses = unknown,
                              .model_ipc = unknown};
    if (!counted)
        return;
    sums->instructions = run_instructions(profile);
    sums->per_tick = per_tick_of(profile, sums->instructions);
    sums->branches = edges_of(profile, kinds_that(is_branch));
    sums->conditional = edges_of(profile, 1u << EDGE_TAKEN | 1u << EDGE_FALL);
    sums->taken = edges_of(profile, kinds_that(is_taken));
    if (profile->mode == PROFILE_EXACT) /* walks end there */
        sums->syscalls = edges_of(profile, 1u << EDGE_SYSCALL);
    if (model)
        model_make(sums, scene);
}
