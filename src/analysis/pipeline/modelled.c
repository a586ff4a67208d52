#include "analysis/pipeline/modelled.h"

#include "analysis/pipeline/window_course.h"

#include "base/err.h"

#include <math.h>
#include <stdlib.h>

/* The quantile of 97.5 % of Student's distribution with as many degrees as there are groups, less
 * one. */
static const double student = 2.131;

struct modelled_place {
    uint64_t module, at;
};

bool modelled_has(const struct profile *profile)
{
    return profile->modelled.n || profile->windows.n;
}

/* ---- rows */

static double *fields_make(struct modelled *modelled)
{
    size_t bytes = modelled->groups * FIELDS * sizeof(double);
    return memset(arena_alloc(&modelled->arena, bytes), 0, bytes);
}

struct modelled_row *modelled_row(struct modelled *modelled, uint32_t module, uint64_t at)
{
    struct modelled_place place = {module, at};
    uint32_t index = map_add(&modelled->keys, &place);
    if (index == modelled->n)
        *vec_push(modelled) = (struct modelled_row){
            .module = module, .at = at, .fit = 1, .fields = fields_make(modelled)};
    return &modelled->at[index];
}

/* The last is for all that have no room. */
void modelled_part_add(struct modelled_part *parts, uint64_t what, double cycles)
{
    struct modelled_part *part = parts, *last = &parts[MODELLED_PARTS - 1];
    if (!(cycles > 0))
        return;
    while (part < last && part->cycles > 0 && part->what != what)
        part++;
    part->what = part == last ? UINT64_MAX : what;
    part->cycles += cycles;
}

static void field_add(struct modelled *modelled, struct modelled_row *row, uint32_t group,
                      uint32_t field, double value)
{
    row->fields[group * FIELDS + field] += value;
    modelled->all.fields[group * FIELDS + field] += value;
}

static void slots_add(struct modelled *modelled, struct modelled_row *row, uint32_t group,
                      const struct account_slots *slots, uint32_t field, double times)
{
    field_add(modelled, row, group, field, (double)slots->n * times);
    field_add(modelled, row, group, field + 1, (double)slots->span * times);
    field_add(modelled, row, group, field + 2, (double)slots->used * times);
}

static void time_add(struct modelled *modelled, struct modelled_row *row,
                     const struct account_row *of, double times)
{
    for (int i = 0; i < ACCOUNT_SIGNATURES; i++) {
        const struct account_signature *signature = &of->signatures[i];
        double cycles = (double)signature->units / ACCOUNT_UNIT * times;
        uint64_t what = signature->state | (uint64_t)signature->events << 8;
        modelled_part_add(row->time, what, cycles);
        modelled_part_add(modelled->all.time, signature->state, cycles);
    }
}

void modelled_add(struct modelled *modelled, struct modelled_row *row, uint32_t group,
                  const struct account_row *of, double times)
{
    row->seen += of->retired;
    field_add(modelled, row, group, FIELD_RETIRED, (double)of->retired * times);
    field_add(modelled, row, group, FIELD_ABORTED, (double)of->aborted * times);
    for (uint32_t i = 0; i < ACCOUNT_STATES; i++)
        field_add(modelled, row, group, FIELD_TIME + i,
                  (double)of->units[i] / ACCOUNT_UNIT * times);
    for (uint32_t i = 0; i < ACCOUNT_STAGES; i++)
        field_add(modelled, row, group, FIELD_STAGE + i, (double)of->stages[i] * times);
    field_add(modelled, row, group, FIELD_LOADS, (double)of->loads * times);
    for (uint32_t i = 0; i < ACCOUNT_EVENTS; i++)
        field_add(modelled, row, group, FIELD_EVENT + i, (double)of->events[i] * times);
    field_add(modelled, row, group, FIELD_WAITS, (double)of->waits * times);
    field_add(modelled, row, group, FIELD_NEARBY, (double)of->nearby * times);
    slots_add(modelled, row, group, &of->slots[0], FIELD_SLOTS, times);
    slots_add(modelled, row, group, &of->slots[1], FIELD_SLOTS + 3, times);
    time_add(modelled, row, of, times);
}

/* ---- of a trace */

/* Rows of the file may have any detail. */
static void table_row_add(struct modelled *modelled, const struct modelled_key *key, double count)
{
    struct modelled_row *row = modelled_row(modelled, key->module, key->address.v);
    uint64_t state = key->detail & 0xff;
    switch ((enum modelled_kind)key->kind) {
    case MODELLED_RETIRED:
        row->seen += (uint64_t)count;
        field_add(modelled, row, 0, FIELD_RETIRED, count);
        return;
    case MODELLED_ABORTED: field_add(modelled, row, 0, FIELD_ABORTED, count); return;
    case MODELLED_LOADS: field_add(modelled, row, 0, FIELD_LOADS, count); return;
    case MODELLED_WAITS: field_add(modelled, row, 0, FIELD_WAITS, count); return;
    case MODELLED_NEARBY: field_add(modelled, row, 0, FIELD_NEARBY, count); return;
    case MODELLED_WAIT: modelled_part_add(row->waits, key->detail, count); return;
    case MODELLED_TIME:
        count /= ACCOUNT_UNIT;
        field_add(modelled, row, 0,
                  FIELD_TIME + (state < ACCOUNT_STATES ? (uint32_t)state : ACCOUNT_STALLS), count);
        modelled_part_add(row->time, key->detail, count);
        modelled_part_add(modelled->all.time, state, count);
        return;
    case MODELLED_STAGE:
        if (key->detail < ACCOUNT_STAGES)
            field_add(modelled, row, 0, FIELD_STAGE + (uint32_t)key->detail, count);
        return;
    case MODELLED_EVENT:
        if (key->detail < ACCOUNT_EVENTS)
            field_add(modelled, row, 0, FIELD_EVENT + (uint32_t)key->detail, count);
        return;
    case MODELLED_SLOTS:
        if (key->detail < 6)
            field_add(modelled, row, 0, FIELD_SLOTS + (uint32_t)key->detail, count);
        return;
    case MODELLED_KINDS: return;
    }
}

static void table_take(struct modelled *modelled, const struct profile *profile)
{
    const char *addresses = profile_fact_find(profile, "core_addresses");
    modelled->addressed = addresses && strcmp(addresses, "recorded") == 0;
    for (uint32_t i = 0; i < profile->modelled.n; i++) {
        struct modelled_key key;
        memcpy(&key, map_key(&profile->modelled.keys, i), sizeof key);
        table_row_add(modelled, &key, (double)profile->modelled.at[i].count);
    }
    modelled->instructions = (uint64_t)modelled->all.fields[FIELD_RETIRED];
}

/* ---- all */

static double time_of(const struct modelled *modelled, const struct modelled_row *row)
{
    return modelled_total(modelled, row, FIELD_TIME, ACCOUNT_STATES).value;
}

struct ranked {
    struct modelled_row row;
    double time;
};

static int ranked_order(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->time != y->time)
        return x->time > y->time ? -1 : 1;
    if (x->row.module != y->row.module)
        return x->row.module < y->row.module ? -1 : 1;
    return (x->row.at > y->row.at) - (x->row.at < y->row.at);
}

static void rows_settle(struct modelled *modelled)
{
    struct ranked *ranked = mem_alloc((modelled->n + 1) * sizeof *ranked);
    size_t n = 0;
    for (size_t i = 0; i < modelled->n; i++) {
        uint32_t module = scene_module(modelled->scene, 0, modelled->at[i].module);
        if (scene_place_wanted(modelled->scene, module, modelled->at[i].at))
            ranked[n++] = (struct ranked){modelled->at[i], time_of(modelled, &modelled->at[i])};
    }
    qsort(ranked, n, sizeof *ranked, ranked_order);
    for (size_t i = 0; i < n; i++)
        modelled->at[i] = ranked[i].row;
    modelled->n = n;
    mem_free(ranked);
}

bool modelled_make(struct modelled *modelled, struct scene *scene, const char *core,
                   struct err *err)
{
    return modelled_make_quick(modelled, scene, core, 0, 0, err);
}

bool modelled_make_quick(struct modelled *modelled, struct scene *scene, const char *core,
                         size_t windows_most, uint64_t instructions_most, struct err *err)
{
    const struct profile *profile = scene->sides[0];
    bool table = profile->modelled.n > 0;
    const char *recorded = profile_fact_find(profile, "core");
    const char *hz = profile_fact_find(profile, "tsc_hz");
    *modelled = (struct modelled){.scene = scene, .every = 1, .most = instructions_most};
    if (windows_most)
        modelled->every = (profile->windows.n + windows_most - 1) / windows_most;
    if (!modelled->every) /* there are none */
        modelled->every = 1;
    if (table && core && recorded && strcmp(core, recorded) != 0)
        return err_set(err, ERR_USAGE,
                       "the trace went through %s when it was recorded and is gone; gait record "
                       "--exact=trace --core %s makes another",
                       recorded, core);
    if (!model_open(core_choose(profile, core, modelled->core_why), &modelled->model, err))
        return false;
    modelled->groups = table ? 1 : MODELLED_GROUPS;
    modelled->hz = hz ? strtod(hz, NULL) : 0;
    modelled->all.fields = fields_make(modelled);
    map_init(&modelled->keys, sizeof(struct modelled_place));
    window_course_code(&modelled->code, scene, &modelled->model);
    if (table)
        table_take(modelled, profile);
    else
        modelled_windows(modelled);
    if (!table)
        modelled_fit(modelled);
    rows_settle(modelled);
    return true;
}

void modelled_release(struct modelled *modelled)
{
    map_release(&modelled->keys);
    code_release(&modelled->code);
    vec_release(modelled);
    arena_release(&modelled->arena);
    model_release(&modelled->model);
}

/* ---- estimates */

static double group_sum(const struct modelled_row *row, uint32_t group, uint32_t first, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += row->fields[group * FIELDS + first + i];
    return sum;
}

static struct estimate estimate_of(double value, double squares, uint32_t groups)
{
    if (groups < 2)
        return (struct estimate){value, value, value};
    double half = student * sqrt(squares * groups / (groups - 1));
    return (struct estimate){value, value > half ? value - half : 0, value + half};
}

struct estimate modelled_total(const struct modelled *modelled, const struct modelled_row *row,
                               uint32_t first, uint32_t n)
{
    double sum = 0, squares = 0;
    for (uint32_t g = 0; g < modelled->groups; g++)
        sum += group_sum(row, g, first, n);
    for (uint32_t g = 0; g < modelled->groups; g++) {
        double off = group_sum(row, g, first, n) - sum / modelled->groups;
        squares += off * off;
    }
    return estimate_of(sum, squares, modelled->groups);
}

struct estimate modelled_happened(const struct modelled *modelled, const struct modelled_row *row,
                                  struct estimate often)
{
    double executions = modelled_total(modelled, row, FIELD_RETIRED, 1).value;
    if (modelled->groups < 2 || !(row->counted.value > 0) || !(executions > 0))
        return often;
    double least = row->counted.lo / executions, most = row->counted.hi / executions;
    often.lo *= least < 1 ? least : 1;
    often.hi *= most > 1 ? most : 1;
    if (isnan(least) || isnan(most))
        often.lo = often.hi = NAN;
    return often;
}

struct estimate modelled_ratio(const struct modelled *modelled, const struct modelled_row *row,
                               uint32_t first, uint32_t n, const struct modelled_row *of,
                               uint32_t of_first, uint32_t of_n)
{
    double sum = 0, whole = 0, squares = 0;
    for (uint32_t g = 0; g < modelled->groups; g++) {
        sum += group_sum(row, g, first, n);
        whole += group_sum(of, g, of_first, of_n);
    }
    if (!(whole > 0))
        return (struct estimate){NAN, NAN, NAN};
    for (uint32_t g = 0; g < modelled->groups; g++) {
        double off = group_sum(row, g, first, n) - sum / whole * group_sum(of, g, of_first, of_n);
        squares += off * off;
    }
    return estimate_of(sum / whole, squares / (whole * whole), modelled->groups);
}

/* What is left of a row's spread when its count is known: that of how long each execution takes,
 * and that of the count itself. */
struct estimate modelled_share(const struct modelled *modelled, const struct modelled_row *row)
{
    struct estimate share = modelled_ratio(modelled, row, FIELD_TIME, ACCOUNT_STATES,
                                           &modelled->all, FIELD_TIME, ACCOUNT_STATES);
    if (modelled->groups < 2 || !(row->fit_deviation > 0) || !isfinite(row->fit_deviation))
        return share; /* of a count that nothing is known about, what windows themselves tell */
    struct estimate each =
        modelled_ratio(modelled, row, FIELD_TIME, ACCOUNT_STATES, row, FIELD_RETIRED, 1);
    double spread = each.value > 0 ? (each.hi - each.value) / each.value : 0;
    double half = share.value * hypot(spread, 1.96 * row->fit_deviation);
    return (struct estimate){share.value, share.value > half ? share.value - half : 0,
                             share.value + half};
}

struct estimate modelled_wasted(const struct modelled *modelled, const struct modelled_row *row)
{
    double width = modelled->model.dispatch_width, sum = 0, squares = 0, wasted[MODELLED_GROUPS];
    for (uint32_t g = 0; g < modelled->groups; g++) {
        wasted[g] = 0;
        for (uint32_t i = 0; i < 2; i++)
            wasted[g] += group_sum(row, g, FIELD_SLOTS + 3 * i + 1, 1) * width -
                         group_sum(row, g, FIELD_SLOTS + 3 * i + 2, 1);
        sum += wasted[g];
    }
    for (uint32_t g = 0; g < modelled->groups; g++)
        squares += (wasted[g] - sum / modelled->groups) * (wasted[g] - sum / modelled->groups);
    return estimate_of(sum, squares, modelled->groups);
}
