/* Sums metrics of followed instructions by key, as records come, in bounded space.
 *
 * Metrics and keys are expressions. A record stands for SAMPLE_WEIGHT fetched instructions, so k
 * records stand for k times that. A pair is evaluated twice, with each side as `self`. It stands
 * for the weight of its first record; if no expression uses `other`, each record stands for half of
 * that.
 *
 * At more than twice `limit` rows, the lighter half moves to `others`. Rows and `others` always add
 * up to the whole, and no row lacks more weight than `missing_most`.
 *
 * Intervals are 95 %: of totals as sums of random events, of means as ratios. */
#pragma once

#include "base/map.h"
#include "records/expression.h"

enum { LEDGER_KEYS = 4 };

struct metric {
    const char *name, *text; /* NULL ends a list; text: one line of what it is */
    const char *value;       /* expression */
    const char *where;       /* expression; NULL: always */
    bool mean;               /* show its mean, not its total */
};

/* One metric of one row. w: weight, x: value. */
struct metric_sum {
    uint64_t n;       /* records, or sides of pairs, with a value */
    uint64_t unknown; /* without one */
    bool negative;    /* some values were negative */
    double w, ww, wx, wwx, wwxx;
};

/* value is not a number if nothing is known. */
struct metric_estimate {
    double value, lo, hi;
};

struct ledger_row {
    double weight; /* of its records */
    struct metric_sum *sums;
};

struct parsed_metric {
    const struct metric *metric;
    struct expression value, where;
    bool has_where;
};

struct ledger {
    struct parsed_metrics {
        VEC(struct parsed_metric);
    } metrics;
    struct expression by[LEDGER_KEYS];
    size_t n_by;
    bool pairs; /* some expression uses `other` */
    size_t limit;
    struct map keys; /* LEDGER_KEYS uint64_t; index i is of at[i] */
    VEC(struct ledger_row);
    struct ledger_row others;
    double missing_most;
    uint64_t keyless; /* records without a key: it was not measured */
    bool has_only;
    struct expression only; /* condition on records, */
    uint64_t left_out;      /* and records or sides of pairs that fail it, or where it is unknown */
};

/* by: at most LEDGER_KEYS expressions, then NULL; none: a single row. metrics must outlive it. */
bool ledger_open(struct ledger *ledger, const char *const *by, const struct metric *metrics,
                 const struct parameter *parameters, size_t limit, struct err *err);
void ledger_release(struct ledger *ledger);
/* Adds only records that fulfil the condition. If it uses `other`, records without a pair are left
 * out. */
bool ledger_only(struct ledger *ledger, const char *text, const struct parameter *parameters,
                 struct err *err);

/* If an expression uses `other`, records without a pair are ignored. */
void ledger_add(struct ledger *ledger, const struct sample *sample);
void ledger_add_pair(struct ledger *ledger, const struct sample *first,
                     const struct sample *second);

const uint64_t *ledger_key(const struct ledger *ledger, size_t row);
/* Rows by weight, heaviest first, then by key; free with mem_free. */
uint32_t *ledger_ranking(const struct ledger *ledger);

struct metric_estimate metric_total(const struct metric_sum *sum);
struct metric_estimate metric_mean(const struct metric_sum *sum);
