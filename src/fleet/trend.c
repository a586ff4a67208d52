#include "fleet/trend.h"

#include "analysis/report/diff.h"
#include "base/err.h"
#include "store/question.h"
#include "store/sums.h"

#include <math.h>
#include <stdlib.h>

struct trend_row {
    uint32_t name, build;
    int64_t hour, hours;
    double amount, sd;
};

struct rows {
    struct trend *trend;
    struct arena *arena;
    struct {
        VEC(char);
    } text; /* of a name, as it is put together */
    VEC(struct trend_row);
};

enum { SERVICE, KIND, BUILD, HOUR, HOURS, MODULE, FUNCTION, AMOUNT, SD };

static bool same_text(struct arena *arena, const char **text, const struct sql_value *value)
{
    if (!*text)
        *text = arena_string_n(arena, value->bytes, value->n);
    return strlen(*text) == value->n && memcmp(*text, value->bytes, value->n) == 0;
}

/* "sampled" beside "sampled cpu-clock": no sample was taken in it, so it fits any event. */
static bool no_event_of(const char *kind, const char *other)
{
    size_t n = strlen(kind);
    return !strchr(kind, ' ') && strncmp(kind, other, n) == 0 && other[n] == ' ' &&
           !strchr(other + n + 1, ' ');
}

static bool kind_fits(struct rows *rows, const struct sql_value *value)
{
    const char *kind = arena_string_n(rows->arena, value->bytes, value->n);
    const char **known = &rows->trend->kind;
    if (!*known || no_event_of(*known, kind))
        *known = kind;
    return strcmp(kind, *known) == 0 || no_event_of(kind, *known);
}

static const char *name_join(struct rows *rows, const struct sql_value *module,
                             const struct sql_value *function)
{
    vec_room(&rows->text, module->n + function->n + 2);
    char *to = mempcpy(rows->text.at, module->bytes, module->n);
    *to++ = '\n';
    to = mempcpy(to, function->bytes, function->n);
    *to = 0;
    return rows->text.at;
}

static bool row_take(void *to, const struct sql_value *columns, struct err *err)
{
    struct rows *rows = to;
    struct trend *trend = rows->trend;
    if (!same_text(rows->arena, &trend->service, &columns[SERVICE]))
        return err_set(err, ERR_USAGE,
                       "there are several services: service= chooses one; gait store show lists "
                       "them");
    if (!kind_fits(rows, &columns[KIND]))
        return err_set(err, ERR_USAGE,
                       "there are recordings of two kinds: '%s' and '%.*s'; mode= chooses, with "
                       "%%20 for a space",
                       trend->kind, (int)columns[KIND].n, (const char *)columns[KIND].bytes);
    const char *build = arena_string_n(rows->arena, columns[BUILD].bytes, columns[BUILD].n);
    *vec_push(rows) = (struct trend_row){
        .name = intern_number(&trend->names, name_join(rows, &columns[MODULE], &columns[FUNCTION])),
        .build = intern_number(&trend->builds, build),
        .hour = columns[HOUR].number,
        .hours = columns[HOURS].number,
        .amount = (double)columns[AMOUNT].number,
        .sd = (double)columns[SD].number,
    };
    return true;
}

static bool rows_read(struct store *store, struct rows *rows, struct err *err)
{
    struct sql_value values[QUESTION_VALUES];
    question_values(store, values);
    return sql_query(store->sql,
                     "SELECT service, kind, build, hour, hours, module, function, amount, sd "
                     "FROM gait_functions WHERE " WANTED_SUMS,
                     values, QUESTION_VALUES, row_take, rows, NULL, err);
}

static bool waiting_take(void *to, const struct sql_value *columns, struct err *err)
{
    (void)err;
    *(uint64_t *)to = (uint64_t)columns[0].number;
    return true;
}

static bool waiting_read(struct store *store, uint64_t *ret_waiting, struct err *err)
{
    struct sql_value values[QUESTION_VALUES];
    question_values(store, values);
    return sql_query(store->sql,
                     "SELECT count(*) FROM gait_recordings WHERE rolled = 0 AND " WANTED_RECORDINGS,
                     values, QUESTION_VALUES, waiting_take, ret_waiting, NULL, err);
}

/* ---- adding up */

/* Days, or hours if there are no more than two days of them. */
static void periods_choose(struct trend *trend, const struct rows *rows)
{
    int64_t first = INT64_MAX, end = 0;
    bool days = false;
    for (size_t i = 0; i < rows->n; i++) {
        const struct trend_row *row = &rows->at[i];
        first = row->hour < first ? row->hour : first;
        end = row->hour + row->hours > end ? row->hour + row->hours : end;
        days |= row->hours > 1;
    }
    days |= end - first > 2 * DAY_HOURS;
    trend->period_hours = days ? DAY_HOURS : 1;
    trend->first_hour = first - first % trend->period_hours;
    for (int64_t hour = trend->first_hour; hour < end; hour += trend->period_hours)
        *vec_push(&trend->periods) = 0;
}

/* The build that was seen last, by when it began, and the one before. */
static void builds_choose(struct trend *trend, const struct rows *rows, uint32_t *ret_last,
                          uint32_t *ret_before)
{
    struct trend_builds *builds = &trend->by_build;
    *ret_last = *ret_before = UINT32_MAX;
    for (size_t i = 0; i < rows->n; i++) {
        const struct trend_row *row = &rows->at[i];
        while (builds->n <= row->build)
            vec_push(builds)->first_hour = INT64_MAX;
        struct trend_build *build = &builds->at[row->build];
        build->first_hour = row->hour < build->first_hour ? row->hour : build->first_hour;
        build->whole += row->amount;
    }
    for (uint32_t i = 0; i < builds->n; i++)
        if (*ret_last == UINT32_MAX || builds->at[i].first_hour >= builds->at[*ret_last].first_hour)
            *ret_last = i;
    for (uint32_t i = 0; i < builds->n; i++)
        if (i != *ret_last && (*ret_before == UINT32_MAX ||
                               builds->at[i].first_hour >= builds->at[*ret_before].first_hour))
            *ret_before = i;
    trend->last_build = builds->at[*ret_last];
    trend->last = trend->builds.texts.at[*ret_last];
    if (*ret_before != UINT32_MAX) {
        trend->build_before = builds->at[*ret_before];
        trend->before = trend->builds.texts.at[*ret_before];
    }
}

static void amount_add(struct trend_amounts *amounts, size_t at, double amount)
{
    while (amounts->n <= at)
        *vec_push(amounts) = 0;
    amounts->at[at] += amount;
}

static void cell_add(struct trend_cell *cell, const struct trend_row *row)
{
    cell->amount += row->amount;
    cell->variance += row->sd * row->sd;
}

static void row_add(struct trend *trend, const struct trend_row *row, uint32_t last,
                    uint32_t before)
{
    size_t period = (size_t)((row->hour - trend->first_hour) / trend->period_hours);
    while (trend->n <= row->name) {
        uint32_t name = (uint32_t)trend->n;
        vec_push(trend)->name = name;
    }
    struct trend_function *function = &trend->at[row->name];
    amount_add(&function->periods, period, row->amount);
    amount_add(&function->builds, row->build, row->amount);
    amount_add(&trend->periods, period, row->amount);
    trend->whole += row->amount;
    cell_add(&function->all, row);
    if (row->build == last)
        cell_add(&function->last, row);
    else if (row->build == before)
        cell_add(&function->before, row);
}

/* ---- changes */

static const double z95 = 1.959964;

static void change_set(const struct trend *trend, struct trend_function *function, double widen)
{
    double last = trend->last_build.whole, before = trend->build_before.whole;
    double value = function->last.amount / last - function->before.amount / before;
    double half = z95 * sqrt(function->last.variance / (last * last) +
                             function->before.variance / (before * before));
    /* A build that nothing of it was seen in has no spread, but is not known to be 0. */
    bool seen = function->last.variance > 0 && function->before.variance > 0;
    function->change = (struct estimate){value, value - half, value + half};
    function->sure = seen && diff_excludes_zero(function->change, widen);
}

static int function_compare(const void *a, const void *b)
{
    const struct trend_function *x = a, *y = b;
    if (x->all.amount != y->all.amount)
        return x->all.amount > y->all.amount ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

static void trend_make(struct trend *trend, const struct rows *rows)
{
    enum { MANY_DEGREES = 300 };
    uint32_t last, before;
    periods_choose(trend, rows);
    builds_choose(trend, rows, &last, &before);
    for (size_t i = 0; i < rows->n; i++)
        row_add(trend, &rows->at[i], last, before);
    double widen = diff_widening(trend->n, MANY_DEGREES);
    for (size_t i = 0; trend->before && i < trend->n; i++)
        change_set(trend, &trend->at[i], widen);
    qsort(trend->at, trend->n, sizeof *trend->at, function_compare);
}

bool trend_read(struct store *store, struct trend *ret_trend, struct err *err)
{
    struct trend trend = {0};
    struct rows rows = {.trend = &trend, .arena = &store->arena};
    if (store->place.query.machine)
        return err_set(err, ERR_USAGE,
                       "what is rolled up is of all machines together: leave machine= out");
    intern_init(&trend.names);
    intern_init(&trend.builds);
    bool ok = rows_read(store, &rows, err) && waiting_read(store, &trend.waiting, err);
    if (ok && !rows.n && trend.waiting)
        ok = err_set(err, ERR_MISSING,
                     "nothing that was rolled up matches, but %llu recordings that were not; type:"
                     "  gait store roll-up --after 0s",
                     (unsigned long long)trend.waiting);
    else if (ok && !rows.n)
        ok = err_set(err, ERR_MISSING, "nothing matches; gait store show lists what there is");
    if (ok)
        trend_make(&trend, &rows);
    vec_release(&rows.text);
    vec_release(&rows);
    if (ok)
        *ret_trend = trend;
    else
        trend_release(&trend);
    return ok;
}

void trend_release(struct trend *trend)
{
    for (size_t i = 0; i < trend->n; i++)
        vec_release(&trend->at[i].periods), vec_release(&trend->at[i].builds);
    vec_release(trend);
    vec_release(&trend->periods);
    vec_release(&trend->by_build);
    intern_release(&trend->names);
    intern_release(&trend->builds);
}

struct estimate trend_share(const struct trend *trend, const struct trend_function *function)
{
    double value = function->all.amount / trend->whole;
    double half = z95 * sqrt(function->all.variance) / trend->whole;
    return (struct estimate){value, fmax(value - half, 0), fmin(value + half, 1)};
}
