#include "records/ledger.h"

#include "base/err.h"

#include <math.h>
#include <stdlib.h>

static const double sigmas = 1.96; /* of 95 % */

/* ---- open */

static bool metric_parse(struct ledger *ledger, const struct metric *metric,
                         const struct parameter *parameters, struct err *err)
{
    struct parsed_metric *parsed = vec_push(&ledger->metrics);
    parsed->metric = metric;
    if (!expression_parse(&parsed->value, metric->value, parameters, err))
        return err_in(err, "%s", metric->name);
    ledger->pairs |= parsed->value.pairs;
    if (!metric->where)
        return true;
    parsed->has_where = true;
    if (!expression_parse(&parsed->where, metric->where, parameters, err))
        return err_in(err, "%s, where", metric->name);
    ledger->pairs |= parsed->where.pairs;
    return true;
}

static bool ledger_parse(struct ledger *ledger, const char *const *by, const struct metric *metrics,
                         const struct parameter *parameters, struct err *err)
{
    for (; by && by[ledger->n_by]; ledger->n_by++) {
        if (ledger->n_by == LEDGER_KEYS)
            return err_set(err, ERR_USAGE, "more than %d keys", LEDGER_KEYS);
        if (!expression_parse(&ledger->by[ledger->n_by], by[ledger->n_by], parameters, err))
            return false;
        ledger->pairs |= ledger->by[ledger->n_by].pairs;
    }
    for (; metrics->name; metrics++)
        if (!metric_parse(ledger, metrics, parameters, err))
            return false;
    return true;
}

static struct metric_sum *sums_new(const struct ledger *ledger)
{
    return mem_alloc((ledger->metrics.n + 1) * sizeof(struct metric_sum));
}

bool ledger_open(struct ledger *ledger, const char *const *by, const struct metric *metrics,
                 const struct parameter *parameters, size_t limit, struct err *err)
{
    *ledger = (struct ledger){.limit = limit ? limit : 1};
    map_init(&ledger->keys, LEDGER_KEYS * sizeof(uint64_t));
    bool ok = ledger_parse(ledger, by, metrics, parameters, err);
    ledger->others.sums = sums_new(ledger);
    if (!ok)
        ledger_release(ledger);
    return ok;
}

bool ledger_only(struct ledger *ledger, const char *text, const struct parameter *parameters,
                 struct err *err)
{
    if (!expression_parse(&ledger->only, text, parameters, err))
        return false;
    ledger->has_only = true;
    ledger->pairs |= ledger->only.pairs;
    return true;
}

void ledger_release(struct ledger *ledger)
{
    expression_release(&ledger->only);
    for (size_t i = 0; i < ledger->metrics.n; i++) {
        expression_release(&ledger->metrics.at[i].value);
        expression_release(&ledger->metrics.at[i].where);
    }
    for (size_t i = 0; i < LEDGER_KEYS; i++)
        expression_release(&ledger->by[i]);
    for (size_t i = 0; i < ledger->n; i++)
        mem_free(ledger->at[i].sums);
    mem_free(ledger->others.sums);
    vec_release(&ledger->metrics);
    vec_release(ledger);
    map_release(&ledger->keys);
}

/* ---- bounded space */

const uint64_t *ledger_key(const struct ledger *ledger, size_t row)
{
    return map_key(&ledger->keys, (uint32_t)row);
}

struct ranked {
    double weight;
    const uint64_t *key;
    uint32_t row;
};

static int ranked_order(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    for (int i = 0; i < LEDGER_KEYS; i++)
        if (x->key[i] != y->key[i])
            return x->key[i] < y->key[i] ? -1 : 1;
    return 0;
}

uint32_t *ledger_ranking(const struct ledger *ledger)
{
    struct ranked *ranked = mem_alloc((ledger->n + 1) * sizeof *ranked);
    uint32_t *rows = mem_alloc((ledger->n + 1) * sizeof *rows);
    for (size_t i = 0; i < ledger->n; i++)
        ranked[i] = (struct ranked){ledger->at[i].weight, ledger_key(ledger, i), (uint32_t)i};
    if (ledger->n)
        qsort(ranked, ledger->n, sizeof *ranked, ranked_order);
    for (size_t i = 0; i < ledger->n; i++)
        rows[i] = ranked[i].row;
    mem_free(ranked);
    return rows;
}

static void sum_add_all(struct metric_sum *to, const struct metric_sum *from)
{
    to->n += from->n;
    to->unknown += from->unknown;
    to->negative |= from->negative;
    to->w += from->w;
    to->ww += from->ww;
    to->wx += from->wx;
    to->wwx += from->wwx;
    to->wwxx += from->wwxx;
}

/* The lesser half becomes others. What one of those had is what it may lack if it comes again. */
static void ledger_prune(struct ledger *ledger)
{
    uint32_t *rows = ledger_ranking(ledger);
    struct ledger old = *ledger;
    map_init(&ledger->keys, LEDGER_KEYS * sizeof(uint64_t));
    ledger->at = NULL;
    ledger->n = ledger->room = 0;
    ledger->missing_most += old.at[rows[old.limit]].weight;
    for (size_t i = 0; i < old.n; i++) {
        struct ledger_row *row = &old.at[rows[i]];
        if (i < old.limit) {
            map_add(&ledger->keys, ledger_key(&old, rows[i]));
            *vec_push(ledger) = *row;
            continue;
        }
        ledger->others.weight += row->weight;
        for (size_t m = 0; m < ledger->metrics.n; m++)
            sum_add_all(&ledger->others.sums[m], &row->sums[m]);
        mem_free(row->sums);
    }
    map_release(&old.keys);
    mem_free(old.at);
    mem_free(rows);
}

/* NULL: what it belongs to was not measured. */
static struct ledger_row *row_of(struct ledger *ledger, const struct subject *subject)
{
    uint64_t key[LEDGER_KEYS] = {0};
    for (size_t i = 0; i < ledger->n_by; i++) {
        long double value;
        if (!expression_value(&ledger->by[i], subject, &value))
            return NULL;
        key[i] = value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
    }
    uint32_t index = map_find(&ledger->keys, key);
    if (index != MAP_NONE)
        return &ledger->at[index];
    if (ledger->n == 2 * ledger->limit)
        ledger_prune(ledger);
    map_add(&ledger->keys, key);
    struct ledger_row *row = vec_push(ledger);
    row->sums = sums_new(ledger);
    return row;
}

/* ---- add */

static void metric_add(const struct parsed_metric *metric, const struct subject *subject, double w,
                       struct metric_sum *sum)
{
    long double x, where = 1;
    if (metric->has_where && !expression_value(&metric->where, subject, &where)) {
        sum->unknown++;
        return;
    }
    if (where == 0)
        return;
    if (!expression_value(&metric->value, subject, &x)) {
        sum->unknown++;
        return;
    }
    double wx = w * (double)x;
    sum->n++;
    sum->negative |= x < 0;
    sum->w += w;
    sum->ww += w * w;
    sum->wx += wx;
    sum->wwx += w * wx;
    sum->wwxx += wx * wx;
}

static void subject_add(struct ledger *ledger, const struct subject *subject, double weight)
{
    long double holds = 1;
    if (ledger->has_only && (!expression_value(&ledger->only, subject, &holds) || holds == 0)) {
        ledger->left_out++;
        return;
    }
    struct ledger_row *row = row_of(ledger, subject);
    if (!row) {
        ledger->keyless++;
        return;
    }
    /* A pair is seen from both sides, but is one selection: who does not ask about the other has
     * half of it from each. */
    double alone = subject->other ? weight / 2 : weight;
    row->weight += alone;
    for (size_t i = 0; i < ledger->metrics.n; i++) {
        const struct parsed_metric *metric = &ledger->metrics.at[i];
        bool pairs = metric->value.pairs || (metric->has_where && metric->where.pairs);
        metric_add(metric, subject, pairs ? weight : alone, &row->sums[i]);
    }
}

static double weight_of(const struct sample *sample)
{
    return sample_knows(sample, SAMPLE_WEIGHT) ? (double)sample->at[SAMPLE_WEIGHT] : 1;
}

void ledger_add(struct ledger *ledger, const struct sample *sample)
{
    struct subject subject = subject_alone(sample);
    if (!ledger->pairs)
        subject_add(ledger, &subject, weight_of(sample));
}

/* Two records for one selection: each is half of what was chosen. */
static void pair_add_alone(struct ledger *ledger, const struct sample *first,
                           const struct sample *second)
{
    struct subject subjects[2] = {subject_alone(first), subject_alone(second)};
    for (int side = 0; side < 2; side++)
        subject_add(ledger, &subjects[side], weight_of(first) / 2);
}

void ledger_add_pair(struct ledger *ledger, const struct sample *first, const struct sample *second)
{
    if (!ledger->pairs) {
        pair_add_alone(ledger, first, second);
        return;
    }
    for (int side = 0; side < 2; side++) {
        struct subject subject = subject_of_pair(first, second, side == 0);
        subject_add(ledger, &subject, weight_of(first));
    }
}

/* ---- ask */

/* Of a number of things that happen by chance, k of them seen: after Byar, close to exact from 1
 * on. */
static struct metric_estimate poisson_interval(double k)
{
    double more = k + 1;
    double lo = k > 0 ? 1 - 1 / (9 * k) - sigmas / (3 * sqrt(k)) : 0;
    double hi = 1 - 1 / (9 * more) + sigmas / (3 * sqrt(more));
    return (struct metric_estimate){k, lo > 0 ? k * lo * lo * lo : 0, more * hi * hi * hi};
}

/* Contributions differ: as many as would make the same variance if they were equal are what counts.
 */
struct metric_estimate metric_total(const struct metric_sum *sum)
{
    double total = sum->wx, error = sigmas * sqrt(sum->wwxx);
    if (!sum->n && sum->unknown)
        return (struct metric_estimate){NAN, NAN, NAN};
    if (sum->negative || !(sum->wwxx > 0))
        return (struct metric_estimate){total, total - error, total + error};
    double k = total * total / sum->wwxx, each = total / k;
    struct metric_estimate interval = poisson_interval(k);
    return (struct metric_estimate){total, each * interval.lo, each * interval.hi};
}

struct metric_estimate metric_mean(const struct metric_sum *sum)
{
    if (!sum->n || !(sum->w > 0))
        return (struct metric_estimate){NAN, NAN, NAN};
    double mean = sum->wx / sum->w;
    double squares = sum->wwxx - 2 * mean * sum->wwx + mean * mean * sum->ww;
    double few = sum->n > 1 ? (double)sum->n / (double)(sum->n - 1) : 1;
    double error = squares > 0 ? sigmas * sqrt(squares * few) / sum->w : 0;
    if (sum->n == 1) /* one tells nothing of how much they differ */
        return (struct metric_estimate){mean, -INFINITY, INFINITY};
    return (struct metric_estimate){mean, mean - error, mean + error};
}
