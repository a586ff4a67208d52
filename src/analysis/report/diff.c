#include "analysis/report/diff.h"

#include "base/err.h"
#include "analysis/report/diff_lines.h"
#include "analysis/report/diff_names.h"
#include "analysis/report/diff_side.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *diff_by_name(enum diff_by by)
{
    static const char *const names[] = {
        [DIFF_FUNCTION] = "function", [DIFF_LINE] = "line", [DIFF_MODULE] = "module"};
    return names[by];
}

/* ---- changes */

/* After less before: each end is off by the far ends of both, as if at right angles. */
struct estimate diff_change_of(const struct estimate *sides)
{
    const struct estimate *before = &sides[BEFORE], *after = &sides[AFTER];
    double change = after->value - before->value;
    return (struct estimate){change,
                             change - hypot(after->value - after->lo, before->hi - before->value),
                             change + hypot(after->hi - after->value, before->value - before->lo)};
}

/* How likely Student's t is to lie outside of +-t: the finite sums for whole degrees (Abramowitz
 * and Stegun 26.7.3 and 26.7.4). */
static double student_outside(double t, uint64_t degrees)
{
    double angle = atan(t / sqrt((double)degrees)), sine = sin(angle), cosine = cos(angle);
    bool odd = degrees % 2;
    double term = odd ? cosine : 1, sum = degrees > 1 ? term : 0;
    for (uint64_t k = odd ? 3 : 2; k < degrees; k += 2) {
        term *= cosine * cosine * ((double)k - 1) / (double)k;
        sum += term;
    }
    return 1 - (odd ? 2 / M_PI * (angle + sine * sum) : sine * sum);
}

/* How much wider than its own 95 % the interval of one of n comparisons must be so that all n hold
 * together with 95 %: the quantile at 0.05 / n over that at 0.05. */
double diff_widening(uint64_t n, uint64_t degrees)
{
    enum { DEGREES_MAX = 300 }; /* hardly narrower from there on */
    double low = 0, high = 1e9;
    uint64_t used = degrees < DEGREES_MAX ? degrees : DEGREES_MAX;
    for (int i = 0; i < 200; i++) {
        double middle = (low + high) / 2;
        *(student_outside(middle, used) > 0.05 / (double)n ? &low : &high) = middle;
    }
    return fmax(high / student_t(used), 1);
}

bool diff_excludes_zero(struct estimate change, double widen)
{
    double lo = change.value - widen * (change.value - change.lo);
    double hi = change.value + widen * (change.hi - change.value);
    return isfinite(lo) && isfinite(hi) && (lo > 0 || hi < 0);
}

static void rows_judge(struct diff *diff, const struct diff_side *sides)
{
    uint64_t before = diff_degrees(&sides[BEFORE]), after = diff_degrees(&sides[AFTER]);
    uint64_t degrees = !before ? after : !after || before < after ? before : after;
    double widen = degrees && diff->n ? diff_widening(diff->n, degrees) : 1;
    diff->exact = !degrees;
    for (size_t i = 0; i < diff->n; i++) {
        diff->at[i].beyond = diff_excludes_zero(diff->at[i].change, 1);
        diff->at[i].sure = diff_excludes_zero(diff->at[i].change, widen);
        diff->at[i].share_sure = diff_excludes_zero(diff->at[i].share_change, widen);
    }
}

/* ---- rows */

/* Parts of both sides that are one function, or one module. */
struct bundle {
    struct diff *diff;
    const struct diff_side *sides;
    const struct diff_part *parts[SIDES_MAX];
    size_t n[SIDES_MAX];
};

static void row_add(struct diff *diff, const struct diff_side *sides, struct diff_row row,
                    const struct diff_sum *sums)
{
    bool any = false;
    for (int side = 0; side < SIDES_MAX; side++) {
        row.seen[side] = diff_sum_any(&sides[side], &sums[side]);
        row.amount[side] = diff_amount(&sides[side], &sums[side]);
        row.share[side] = diff_share(&sides[side], &sums[side]);
        any |= row.seen[side];
    }
    row.change = diff_change_of(row.amount);
    row.share_change = diff_change_of(row.share);
    if (any)
        *vec_push(diff) = row;
}

static struct diff_row bundle_row(const struct bundle *bundle)
{
    const struct diff_part *first = bundle->parts[bundle->n[BEFORE] ? BEFORE : AFTER];
    struct diff_row row = {.module = first->pair};
    if (bundle->diff->by != DIFF_MODULE)
        row.name = bundle->diff->names.texts.at[first->name];
    return row;
}

static void bundle_sum(const struct bundle *bundle)
{
    struct diff_sum sums[SIDES_MAX] = {0};
    for (int side = 0; side < SIDES_MAX; side++)
        for (size_t i = 0; i < bundle->n[side]; i++)
            diff_sum_add(&sums[side], &bundle->parts[side][i].sum);
    row_add(bundle->diff, bundle->sides, bundle_row(bundle), sums);
}

/* ---- lines */

static struct binary *binary_of(const struct diff_side *side, const struct diff_part *part)
{
    return part->function == FUNCTION_NONE ? NULL : side->scene->modules.at[part->module].binary;
}

/* The lines of the functions that the parts are of. */
static void masses_of(const struct bundle *bundle, int side, struct line_masses *masses)
{
    const struct diff_part *last = NULL;
    *masses = (struct line_masses){0};
    for (size_t i = 0; i < bundle->n[side]; i++) {
        const struct diff_part *part = &bundle->parts[side][i];
        struct binary *binary = binary_of(&bundle->sides[side], part);
        bool new = !last || last->module != part->module || last->function != part->function;
        if (binary && new)
            line_masses_add(masses, binary, part->function, &bundle->diff->files);
        last = part;
    }
    line_masses_sort(masses);
}

/* What lines of a bundle become: keyed by the line before, or else by the line after. */
struct line_sums {
    struct map keys; /* {file, line, side that it is a line of} */
    struct paired_lines {
        VEC(struct paired_line);
    } rows;
};
struct paired_line {
    const char *file;
    uint32_t lines[SIDES_MAX];
    struct diff_sum sums[SIDES_MAX];
};

struct aligned {
    struct line_masses masses[SIDES_MAX];
    uint32_t *partner_of; /* NULL: one build, every line is its own partner */
};

static void part_place(struct line_sums *sums, const struct bundle *bundle,
                       const struct aligned *aligned, int side, const struct diff_part *part)
{
    struct binary *binary = binary_of(&bundle->sides[side], part);
    const char *file = NULL;
    uint32_t line = 0, file_id = LINE_NONE, before = 0;
    if (binary && lines_find(binary_lines(binary), (struct svma){part->at}, &file, &line) && line)
        file_id = intern_number(&bundle->diff->files, file_name(file));
    bool common = side == BEFORE || !aligned->partner_of || file_id == LINE_NONE;
    before = line;
    if (!common) {
        uint32_t mass = line_masses_find(&aligned->masses[AFTER], file_id, line);
        uint32_t partner = mass == LINE_NONE ? LINE_NONE : aligned->partner_of[mass];
        common = partner != LINE_NONE;
        before = common ? aligned->masses[BEFORE].at[partner].line : line;
    }
    uint32_t key[3] = {file_id, before, common ? BEFORE : AFTER};
    uint32_t i = map_add(&sums->keys, key);
    if (i == sums->rows.n)
        vec_push(&sums->rows)->file =
            file_id == LINE_NONE ? NULL : bundle->diff->files.texts.at[file_id];
    struct paired_line *row = &sums->rows.at[i];
    row->lines[side] = line;
    if (common && before)
        row->lines[BEFORE] = before;
    diff_sum_add(&row->sums[side], &part->sum);
}

static void bundle_lines(const struct bundle *bundle)
{
    struct line_sums sums = {0};
    struct aligned aligned = {0};
    struct diff_row base = bundle_row(bundle);
    bool both = bundle->n[BEFORE] && bundle->n[AFTER];
    map_init(&sums.keys, 3 * sizeof(uint32_t));
    if (both && !bundle->diff->modules.at[base.module].same_build) {
        masses_of(bundle, BEFORE, &aligned.masses[BEFORE]);
        masses_of(bundle, AFTER, &aligned.masses[AFTER]);
        aligned.partner_of = line_masses_align(&aligned.masses[BEFORE], &aligned.masses[AFTER]);
    }
    for (int side = 0; side < SIDES_MAX; side++)
        for (size_t i = 0; i < bundle->n[side]; i++)
            part_place(&sums, bundle, &aligned, side, &bundle->parts[side][i]);
    for (size_t i = 0; i < sums.rows.n; i++) {
        struct diff_row row = base;
        row.file = sums.rows.at[i].file;
        memcpy(row.lines, sums.rows.at[i].lines, sizeof row.lines);
        row_add(bundle->diff, bundle->sides, row, sums.rows.at[i].sums);
    }
    for (int side = 0; side < SIDES_MAX; side++)
        vec_release(&aligned.masses[side]);
    mem_free(aligned.partner_of);
    map_release(&sums.keys);
    vec_release(&sums.rows);
}

/* ---- walking both sides together */

static int part_compare(const struct diff_part *x, const struct diff_part *y, enum diff_by by)
{
    if (x->pair != y->pair)
        return x->pair < y->pair ? -1 : 1;
    if (by == DIFF_MODULE || x->name == y->name)
        return 0;
    return x->name < y->name ? -1 : 1;
}

static void sides_walk(struct bundle *bundle)
{
    enum diff_by by = bundle->diff->by;
    size_t at[SIDES_MAX] = {0};
    for (;;) {
        const struct diff_part *first = NULL;
        for (int side = 0; side < SIDES_MAX; side++) {
            const struct diff_side *from = &bundle->sides[side];
            if (at[side] < from->n && (!first || part_compare(&from->at[at[side]], first, by) < 0))
                first = &from->at[at[side]];
        }
        if (!first)
            return;
        for (int side = 0; side < SIDES_MAX; side++) {
            const struct diff_side *from = &bundle->sides[side];
            bundle->parts[side] = from->at + at[side];
            size_t begin = at[side];
            while (at[side] < from->n && part_compare(&from->at[at[side]], first, by) == 0)
                at[side]++;
            bundle->n[side] = at[side] - begin;
        }
        if (by == DIFF_LINE)
            bundle_lines(bundle);
        else
            bundle_sum(bundle);
    }
}

/* ---- order */

static int text_order(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int row_order(const void *a, const void *b)
{
    const struct diff_row *x = a, *y = b;
    double x_change = fabs(x->change.value), y_change = fabs(y->change.value);
    if (x_change != y_change)
        return x_change > y_change ? -1 : 1;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    int by_name = text_order(x->name, y->name);
    int by_file = by_name ? by_name : text_order(x->file, y->file);
    if (by_file)
        return by_file;
    for (int side = 0; side < SIDES_MAX; side++)
        if (x->lines[side] != y->lines[side])
            return x->lines[side] < y->lines[side] ? -1 : 1;
    return 0;
}

/* ---- all */

/* What both have: time if they can, else executed instructions. */
static bool weight_choose(struct diff *diff, struct diff_options options, struct err *err)
{
    enum weight weight = options.weight;
    bool has_weight = options.has_weight;
    bool time = true, count = true, events[SIDES_MAX], exact[SIDES_MAX];
    for (int side = 0; side < SIDES_MAX; side++) {
        const struct profile *profile = diff->scenes[side]->sides[0];
        exact[side] = profile->mode == PROFILE_EXACT;
        time &= profile->mode != PROFILE_EXACT;
        count &= profile->mode != PROFILE_PLAIN;
        events[side] = profile->mode == PROFILE_PLAIN && plain_counts_events(profile);
    }
    if (events[BEFORE] != events[AFTER])
        return err_set(err, ERR_FORMAT, "one has weights of an event, the other of time");
    if (exact[BEFORE] != exact[AFTER] && count)
        return err_set(
            err, ERR_FORMAT,
            "one is exact, the other sampled, and what differs would be mostly that: gait "
            "compare says how near the one comes to the other");
    if (has_weight ? (weight == WEIGHT_TIME ? !time : !count) : !time && !count)
        return err_set(
            err, ERR_FORMAT,
            "nothing to compare: exact profiles have counts and no times, plain ones times "
            "and no counts%s",
            has_weight ? "; without --weight what both have is taken" : "");
    diff->weight = has_weight ? weight : time ? WEIGHT_TIME : WEIGHT_COUNT;
    return true;
}

static bool modules_shown(const struct diff *diff, const char *module, struct err *err)
{
    for (size_t i = 0; i < diff->modules.n; i++)
        if (diff->modules.at[i].shown)
            return true;
    return !module ||
           err_set(err, ERR_MISSING, "--module %s: neither profile has such a module", module);
}

/* The agent is in every process and no part of what ran there: another version of gait makes no
 * other build. */
static bool is_agent(const struct diff_module *module)
{
    return strcmp(module->names[AFTER], "libgait.so") == 0;
}

bool diff_same_build(const struct diff *diff)
{
    for (size_t i = 0; i < diff->modules.n; i++) {
        const struct diff_module *module = &diff->modules.at[i];
        if (module->names[BEFORE] && module->names[AFTER] && !module->same_build &&
            !is_agent(module))
            return false;
    }
    return true;
}

static void sides_compare(struct diff *diff, struct diff_side *sides, uint32_t *const *pair_of)
{
    for (int side = 0; side < SIDES_MAX; side++) {
        struct diff_gathering gathering = {diff, pair_of[side]};
        diff_side_gather(&sides[side], &gathering, diff->by == DIFF_LINE);
        diff->totals[side] = diff_total(&sides[side]);
    }
    diff->same_build = diff_same_build(diff);
    struct bundle bundle = {.diff = diff, .sides = sides};
    sides_walk(&bundle);
    rows_judge(diff, sides);
    if (diff->n)
        qsort(diff->at, diff->n, sizeof *diff->at, row_order);
}

bool diff_make(struct diff *diff, struct scene *before, struct scene *after,
               struct diff_options options, struct err *err)
{
    struct diff_side sides[SIDES_MAX];
    uint32_t *pair_of[SIDES_MAX];
    *diff = (struct diff){.by = options.by, .scenes = {before, after}};
    intern_init(&diff->names);
    intern_init(&diff->files);
    diff_pair_modules(diff, pair_of, options.module);
    bool ok = modules_shown(diff, options.module, err) && weight_choose(diff, options, err) &&
              diff_side_open(&sides[BEFORE], before, diff->weight, err);
    if (ok) {
        ok = diff_side_open(&sides[AFTER], after, diff->weight, err);
        if (ok) {
            sides_compare(diff, sides, pair_of);
            diff_side_close(&sides[AFTER]);
        }
        diff_side_close(&sides[BEFORE]);
    }
    for (int side = 0; side < SIDES_MAX; side++)
        mem_free(pair_of[side]);
    if (!ok)
        diff_release(diff);
    return ok;
}

void diff_release(struct diff *diff)
{
    vec_release(diff);
    vec_release(&diff->modules);
    intern_release(&diff->names);
    intern_release(&diff->files);
    arena_release(&diff->arena);
}
