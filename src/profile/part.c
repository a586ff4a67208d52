#include "profile/part.h"

#include "base/err.h"
#include "profile/profile.h"
#include "profile/sums.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- clocks */

bool tick_clock_read(const struct profile *profile, struct tick_clock *ret_clock)
{
    const char *hz = profile_fact_find(profile, "tsc_hz");
    struct tick_clock clock = {.hz = hz ? strtod(hz, NULL) : 0};
    size_t n = 0;
    for (size_t i = 0; i < profile->facts.n; i++)
        if (strcmp(profile->facts.at[i].key, "tsc_at") == 0)
            n += sscanf(profile->facts.at[i].value, "%" SCNu64 " %" SCNu64, &clock.tsc,
                        &clock.unix_ns) == 2
                     ? 1
                     : 2;
    if (n != 1 || !profile->start_unix_ns || profile->totals.recordings || !(clock.hz > 0) ||
        !isfinite(clock.hz))
        return false;
    *ret_clock = clock;
    return true;
}

uint64_t tick_clock_unix(const struct tick_clock *clock, uint64_t tsc)
{
    double ns = (double)(int64_t)(tsc - clock->tsc) / clock->hz * 1e9;
    return fabs(ns) < 9e18 ? clock->unix_ns + (uint64_t)(int64_t)ns : 0;
}

/* ---- totals */

/* User and kernel weight of stacks. */
struct modes {
    uint64_t user, kernel;
};

static struct modes modes_of(const struct profile *profile, const struct stacks *stacks)
{
    struct modes modes = {0};
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        const struct stack_cell *cell = map_key(&stacks->cells, i);
        bool kernel = profile_module_is_kernel(profile, stacks_key(stacks, cell->node).module);
        sum_add(kernel ? &modes.kernel : &modes.user, stacks->weights.at[i]);
    }
    return modes;
}

static uint64_t scaled(uint64_t x, uint64_t part, uint64_t whole)
{
    return whole ? (uint64_t)((u128)x * part / whole) : 0;
}

static u128 scaled_wide(u128 x, uint64_t part, uint64_t whole)
{
    return !whole ? 0 : x < (u128)1 << 64 ? x * part / whole : x / whole * part;
}

/* Weights of the part, and of all. */
struct shares {
    struct modes part, whole;
};

/* Times and losses are shared as the weights are. */
static void totals_begin(struct totals *totals, const struct totals *old,
                         const struct shares *shares)
{
    const struct modes *part = &shares->part, *whole = &shares->whole;
    *totals = (struct totals){.recordings = old->recordings};
    totals->user_ns = scaled(old->user_ns, part->user, whole->user);
    totals->kernel_ns = scaled(old->kernel_ns, part->kernel, whole->kernel);
    for (int i = 0; i < LOSS_N; i++)
        totals->losses[i] =
            scaled(old->losses[i], part->user + part->kernel, whole->user + whole->kernel);
}

/* What a plain profile has of totals. */
static void totals_share_plain(struct profile *profile, const struct shares *shares)
{
    const struct totals old = profile->totals;
    const struct modes *part = &shares->part, *whole = &shares->whole;
    struct totals *totals = &profile->totals;
    uint64_t samples =
        profile->mode == PROFILE_SAMPLED ? old.samples + old.kernel_samples : old.interrupts;
    totals_begin(totals, &old, shares);
    totals->interrupts = scaled(samples, part->user + part->kernel, whole->user + whole->kernel);
    totals->interrupts += !totals->interrupts;
    totals->time = part->user;
}

/* What a sampled one has besides sums over its batches. */
static void totals_share_sampled(struct profile *profile, const struct shares *shares)
{
    const struct totals old = profile->totals;
    uint64_t user = shares->part.user, of = shares->whole.user;
    struct totals *totals = &profile->totals;
    totals_begin(totals, &old, shares);
    totals->interrupts = scaled(old.interrupts, user, of);
    totals->user_ticks = scaled(old.user_ticks, user, of);
    totals->samples = scaled(old.samples, user, of);
    totals->samples += !totals->samples;
    totals->sampled_ns = scaled(old.sampled_ns, user, of);
    totals->sampled_xx = scaled_wide(old.sampled_xx, user, of);
    totals->complete_ns = scaled(old.complete_ns, user, of);
    totals->bare_ns = scaled(old.bare_ns, user, of);
    totals->bare_xx = scaled_wide(old.bare_xx, user, of);
    totals->kernel_samples = scaled(old.kernel_samples, shares->part.kernel, shares->whole.kernel);
    totals->kernel_samples += shares->part.kernel && !totals->kernel_samples;
    totals->whole_user_ns = scaled(old.whole_user_ns, user, of);
    totals->whole_kernel_ns =
        scaled(old.whole_kernel_ns, shares->part.kernel, shares->whole.kernel);
    /* The speed of copies was measured in the whole run. */
    totals->long_trails = old.long_trails;
    totals->long_rates = old.long_rates;
    totals->long_rates_yy = old.long_rates_yy;
}

/* ---- samples */

/* Moments are printed in milliseconds. A stretch between two that were printed as ends of slices is
 * those slices, and not a millisecond of the next one. */
static struct time_part part_rounded(struct time_part wanted)
{
    const uint64_t ms = 1000000;
    if (wanted.end_ns <= wanted.begin_ns || wanted.end_ns - wanted.begin_ns <= 4 * ms)
        return wanted;
    return (struct time_part){wanted.begin_ns + ms, wanted.end_ns - ms};
}

/* Moves the slices of the stretch to the nodes above them; returns the stretch that they cover. */
static struct time_part part_take_slices(const struct stacks *times, struct time_part wanted,
                                         struct stacks *to)
{
    struct time_part covered = {UINT64_MAX, 0};
    bool *is_slice = times_slices(times);
    uint32_t *becomes = mem_alloc((times->nodes.n + (size_t)1) * sizeof *becomes);
    for (uint32_t i = 0; i < times->nodes.n; i++) {
        struct stack_key key = stacks_key(times, i);
        uint32_t parent = key.parent == STACK_NONE ? STACK_NONE : becomes[key.parent];
        becomes[i] = is_slice[i] ? parent : stacks_node(to, parent, key.module, key.address);
    }
    for (uint32_t i = 0; i < times->cells.n; i++) {
        const struct stack_cell *cell = map_key(&times->cells, i);
        uint64_t slice = stacks_key(times, cell->node).address;
        uint64_t begin = slice_begin_ns(slice), end = slice_end_ns(slice);
        if (begin >= wanted.end_ns || end <= wanted.begin_ns)
            continue;
        stacks_add(to, becomes[cell->node], cell->group, times->weights.at[i]);
        covered.begin_ns = begin < covered.begin_ns ? begin : covered.begin_ns;
        covered.end_ns = end > covered.end_ns ? end : covered.end_ns;
    }
    mem_free(becomes);
    mem_free(is_slice);
    return covered;
}

/* ---- batches */

static bool part_has(struct time_part part, uint64_t ns)
{
    return ns >= part.begin_ns && ns < part.end_ns;
}

/* Which batches are of the part; false: none. The caller frees them. */
static bool batches_choose(const struct batch_log *log, struct time_part part, bool **ret_chosen)
{
    size_t n = 0;
    bool *chosen = mem_alloc(log->batches.n + 1);
    for (size_t i = 0; i < log->batches.n; i++)
        n += chosen[i] = part_has(part, logged_batch_moment(&log->batches.at[i]));
    for (size_t i = 0; !n && i < log->batches.n; i++) {
        const struct time_part *span = &log->batches.at[i].span;
        chosen[i] = span->begin_ns < part.end_ns && span->end_ns >= part.begin_ns;
    }
    for (size_t i = 0; !n && i < log->batches.n; i++)
        n += chosen[i];
    if (n)
        *ret_chosen = chosen;
    else
        mem_free(chosen);
    return n;
}

static void totals_add_batch(struct totals *totals, const struct logged_batch *batch)
{
    sum_add(&totals->batches, 1);
    sum_add(&totals->time, batch->x_time);
    sum_add(&totals->count, batch->x_count);
    sum_add_wide(&totals->time_xx, (u128)batch->x_time * batch->x_time);
    sum_add_wide(&totals->count_xx, (u128)batch->x_count * batch->x_count);
}

/* ---- values */

/* Values are flushed with every fourth batch or so: those of a batch are of all batches since the
 * last one that had some, the first ones of all since the beginning. A value that is flushed for
 * the first time has the count of all batches so far. So it is left out unless the part has all of
 * them: what is left is a count for certain, as of all values (FORMAT.md). */
struct dated_values {
    size_t batch;
    struct time_part span;
};

static int dated_order(const void *a, const void *b)
{
    const struct dated_values *x = a, *y = b;
    if (x->span.end_ns != y->span.end_ns)
        return x->span.end_ns < y->span.end_ns ? -1 : 1;
    return x->batch < y->batch ? -1 : x->batch > y->batch;
}

struct value_batches {
    VEC(struct dated_values);
};

static bool batch_has_values(const struct batch_log *log, size_t batch)
{
    for (size_t r = log->batches.at[batch].first_row; r < batch_log_end(log, batch); r++)
        if (log->rows.at[r].table == TABLE_VALUES)
            return true;
    return false;
}

static void values_date(const struct batch_log *log, struct value_batches *to)
{
    uint64_t begin_ns = UINT64_MAX;
    size_t n = 0;
    for (size_t i = 0; i < log->batches.n; i++)
        *vec_push(to) = (struct dated_values){i, log->batches.at[i].span};
    if (to->n)
        qsort(to->at, to->n, sizeof *to->at, dated_order);
    for (size_t i = 0; i < to->n; i++) {
        struct dated_values at = to->at[i];
        begin_ns = at.span.begin_ns < begin_ns ? at.span.begin_ns : begin_ns;
        if (!batch_has_values(log, at.batch))
            continue;
        at.span.begin_ns = begin_ns;
        to->at[n++] = at;
        begin_ns = UINT64_MAX;
    }
    to->n = n;
}

/* How often a place had any value in that batch. */
static uint64_t *values_all(const struct batch_log *log, size_t batch, const struct table *values)
{
    uint64_t *all = mem_alloc((values->n + 1) * sizeof *all);
    for (size_t r = log->batches.at[batch].first_row; r < batch_log_end(log, batch); r++)
        if (log->rows.at[r].table == TABLE_VALUES)
            all[log->rows.at[r].key] = log->rows.at[r].count;
    return all;
}

/* More than all that its place had: some of it is from before. */
static bool value_is_late(const struct table *values, const struct logged_row *row,
                          const uint64_t *all)
{
    struct value_key key = *(const struct value_key *)map_key(&values->keys, row->key);
    if (key.kind & VALUE_ALL)
        return false;
    key.kind |= VALUE_ALL;
    key.value = 0;
    key.to = MODULE_NONE;
    uint32_t place = map_find(&values->keys, &key);
    return place != MAP_NONE && row->count > all[place];
}

/* Adds the values of a batch; *seen: which were flushed before. */
static void values_add(struct profile *profile, const struct table *old, size_t batch, bool taken,
                       bool since_begin, bool *seen)
{
    const struct batch_log *log = &profile->log;
    const struct logged_batch *at = &log->batches.at[batch];
    uint64_t *all = values_all(log, batch, old);
    for (size_t r = at->first_row; r < batch_log_end(log, batch); r++) {
        const struct logged_row *row = &log->rows.at[r];
        if (row->table != TABLE_VALUES)
            continue;
        const struct value_key *key = map_key(&old->keys, row->key);
        bool first = !seen[row->key] && !(key->kind & (VALUE_ALL | VALUE_UNSURE));
        seen[row->key] = true;
        if (taken && (since_begin || (!first && !value_is_late(old, row, all))))
            sums_add_batch(table_at(&profile->values, key), row->time, row->count, at->x_time,
                           at->x_count);
    }
    mem_free(all);
}

static void values_make(struct profile *profile, const struct table *old)
{
    struct value_batches dated = {0};
    struct time_part span = {UINT64_MAX, 0}, part = profile->part;
    bool *seen = mem_alloc(old->n + (size_t)1), any = false, since_begin = true;
    values_date(&profile->log, &dated);
    for (size_t i = 0; i < dated.n; i++)
        any |= part_has(part, time_part_middle(&dated.at[i].span));
    for (size_t i = 0; i < dated.n; i++) {
        struct time_part *at = &dated.at[i].span;
        bool taken = any ? part_has(part, time_part_middle(at))
                         : at->begin_ns < part.end_ns && at->end_ns >= part.begin_ns;
        since_begin &= taken;
        values_add(profile, old, dated.at[i].batch, taken, since_begin, seen);
        if (!taken)
            continue;
        span.begin_ns = at->begin_ns < span.begin_ns ? at->begin_ns : span.begin_ns;
        span.end_ns = at->end_ns > span.end_ns ? at->end_ns : span.end_ns;
    }
    profile->part_values = span.end_ns ? span : (struct time_part){0};
    mem_free(seen);
    vec_release(&dated);
}

/* ---- tables */

/* Makes tables and totals of the chosen batches; windows are shared as their weights are. */
static void tables_make(struct profile *profile, const bool *chosen, const struct totals *whole)
{
    struct totals *totals = &profile->totals;
    const struct batch_log *log = &profile->log;
    struct table old[TABLES];
    struct time_part span = {UINT64_MAX, 0};
    for (int t = 0; t < TABLES; t++) {
        old[t] = profile->tables[t];
        profile->tables[t] = (struct table){0};
        map_init(&profile->tables[t].keys, profile_key_bytes((enum profile_table)t));
    }
    for (size_t i = 0; i < log->batches.n; i++) {
        const struct logged_batch *batch = &log->batches.at[i];
        if (!chosen[i])
            continue;
        totals_add_batch(totals, batch);
        span.begin_ns = batch->span.begin_ns < span.begin_ns ? batch->span.begin_ns : span.begin_ns;
        span.end_ns = batch->span.end_ns > span.end_ns ? batch->span.end_ns : span.end_ns;
        for (size_t r = batch->first_row; r < batch_log_end(log, i); r++) {
            const struct logged_row *row = &log->rows.at[r];
            const void *key = map_key(&old[row->table].keys, row->key);
            if (row->table == TABLE_VALUES)
                continue;
            sums_add_batch(table_at(&profile->tables[row->table], key), row->time, row->count,
                           batch->x_time, batch->x_count);
        }
    }
    values_make(profile, &old[TABLE_VALUES]);
    for (int t = 0; t < TABLES; t++) {
        map_release(&old[t].keys);
        vec_release(&old[t]);
    }
    totals->windows = scaled(whole->windows, totals->time, whole->time);
    totals->recorded = scaled(whole->recorded, totals->time, whole->time);
    totals->instructions = scaled(whole->instructions, totals->time, whole->time);
    totals->translate_ns = scaled(whole->translate_ns, totals->time, whole->time);
    profile->part_counts = span;
}

/* ---- paths and windows */

/* Parts of windows go with the logged batch whose middle is nearest: their own, or what it was
 * joined to. */
static bool parts_chosen(const struct batch_log *log, const bool *chosen, uint64_t moment_ns)
{
    uint64_t least = UINT64_MAX;
    bool is = false;
    for (size_t i = 0; i < log->batches.n; i++) {
        uint64_t at = logged_batch_moment(&log->batches.at[i]);
        uint64_t apart = at > moment_ns ? at - moment_ns : moment_ns - at;
        if (apart >= least)
            continue;
        least = apart;
        is = chosen[i];
    }
    return is;
}

/* Others weigh nothing from now on. False: an older gait did not keep when they were. */
static bool sheet_weigh(struct path_sheet *sheet, const struct batch_log *log, const bool *chosen)
{
    size_t part = 0;
    for (size_t i = 0; i < sheet->batches.n; i++) {
        struct parts_batch *batch = &sheet->batches.at[i];
        if (!batch->moment_ns)
            return false;
        bool is = parts_chosen(log, chosen, batch->moment_ns);
        for (uint32_t p = 0; p < batch->n_parts && part < sheet->parts.n; p++, part++)
            sheet->parts.at[part].weight = is ? sheet->parts.at[part].weight : 0;
        batch->x_time = is ? batch->x_time : 0;
        batch->x_count = is ? batch->x_count : 0;
    }
    return true;
}

static void paths_choose(struct profile *profile, const bool *chosen)
{
    bool known = true;
    for (size_t i = 0; known && i < profile->path_parts.n; i++)
        known = sheet_weigh(&profile->path_parts.at[i], &profile->log, chosen);
    if (!known)
        path_parts_clear(&profile->path_parts);
    profile->part_no_paths = !known;
    stacks_clear(&profile->series);
    stacks_clear(&profile->passages);
}

static void windows_choose(struct profile *profile)
{
    struct windows *windows = &profile->windows;
    struct tick_clock clock;
    size_t n = 0;
    bool known = tick_clock_read(profile, &clock);
    for (size_t i = 0; known && i < windows->n; i++)
        if (part_has(profile->part, tick_clock_unix(&clock, windows->at[i].tsc)))
            windows->at[n++] = windows->at[i];
    windows->n = n;
}

/* ---- all of it */

/* Waits of which nobody knows when they were are not shown. */
static void waits_choose(struct profile *profile, struct time_part wanted)
{
    struct stacks taken;
    stacks_init(&taken);
    taken.maxima = profile->waits.maxima;
    struct time_part covered = part_take_slices(&profile->wait_times, part_rounded(wanted), &taken);
    stacks_release(&profile->waits);
    profile->waits = taken;
    profile->part_waits = taken.cells.n ? covered : (struct time_part){0};
}

bool profile_weigh_part(struct profile *profile, struct time_part wanted, struct err *err)
{
    struct stacks taken;
    bool *chosen = NULL;
    if (!times_known(profile, err))
        return false;
    stacks_init(&taken);
    struct time_part covered = part_take_slices(&profile->times, part_rounded(wanted), &taken);
    if (!taken.cells.n) {
        stacks_release(&taken);
        return err_set(err, ERR_MISSING, "nothing was sampled in that part of the run");
    }
    for (int t = 0; t < TABLES; t++)
        profile->part_tables |= (uint32_t)(profile->tables[t].n > 0) << t;
    waits_choose(profile, wanted);
    struct shares shares = {modes_of(profile, &taken), modes_of(profile, &profile->stacks)};
    stacks_release(&profile->stacks);
    profile->stacks = taken;
    profile->part = covered;
    profile->samples.n = 0;
    windows_choose(profile);
    if (profile->mode == PROFILE_SAMPLED && batch_log_whole(profile) &&
        batches_choose(&profile->log, covered, &chosen)) {
        const struct totals whole = profile->totals;
        totals_share_sampled(profile, &shares);
        paths_choose(profile, chosen);
        tables_make(profile, chosen, &whole);
        mem_free(chosen);
    } else {
        totals_share_plain(profile, &shares);
        profile_clear_tables(profile);
        path_parts_clear(&profile->path_parts);
        profile->mode = PROFILE_PLAIN;
    }
    batch_log_release(&profile->log); /* it has keys of tables that were made anew */
    threads_forget_times(&profile->threads);
    return true;
}

bool profile_weigh_part_waits(struct profile *profile, struct time_part wanted, struct err *err)
{
    struct err no_samples;
    if (!profile->wait_times.cells.n)
        return err_set(
            err, ERR_MISSING,
            profile->mode == PROFILE_EXACT
                ? "an exact recording does not have when threads waited; a sampled one has"
                : "this recording does not have when threads waited: it has no waits, or an older "
                  "gait made it");
    if (!profile_weigh_part(profile, wanted, &no_samples)) {
        waits_choose(profile, wanted);
        profile->part = profile->part_waits;
        profile->totals = (struct totals){.recordings = profile->totals.recordings};
        threads_forget_times(&profile->threads);
    }
    return profile->waits.cells.n ||
           err_set(err, ERR_MISSING, "no thread waited in that part of the run");
}
