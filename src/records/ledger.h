/* Numbers about followed instructions, added up by what they belong to: as records come, in bounded
 * space.
 *
 * What is added up (metrics) and what it belongs to (keys) are expressions. A record stands for
 * SAMPLE_WEIGHT fetched instructions, so k records with a property stand for k S of them. Pairs are
 * looked at twice, once from each side: whoever is `self` gets the number. A pair stands for the
 * weight of its first; where nobody asks about the other, each of its records for half of that.
 *
 * There are never more than twice `limit` rows: then the lesser half, by its weight, goes into
 * `others`. Whatever is asked, all rows and `others` make the whole, and no row lacks more weight
 * than `missing_most`.
 *
 * Intervals are of 95 %: of totals, those of a sum of so many things that happen by chance; of
 * means, those of a ratio. */
#pragma once

#include "base/map.h"
#include "records/expression.h"

enum { LEDGER_KEYS = 4 };

struct metric {
    const char *name, *text; /* NULL ends a list; text: one line of what it is */
    const char *value;       /* expression */
    const char *where;       /* expression; NULL: always */
    bool mean;               /* its mean is what says something, not its total */
};

/* Of one metric, of one row. w: weight, x: value. */
struct metric_sum {
    uint64_t n;       /* records, or sides of pairs, with a value */
    uint64_t unknown; /* without one */
    bool negative;    /* some value was */
    double w, ww, wx, wwx, wwxx;
};

/* value is not a number if nothing is known. */
struct metric_estimate {
    double value, lo, hi;
};

struct ledger_row {
    double weight; /* of records, whatever the metrics say */
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
    bool pairs; /* some expression asks about `other` */
    size_t limit;
    struct map keys; /* LEDGER_KEYS uint64_t; index i is of at[i] */
    VEC(struct ledger_row);
    struct ledger_row others;
    double missing_most;
    uint64_t keyless; /* records that have no key: what they belong to was not measured */
    bool has_only;
    struct expression only; /* what must hold of a record, */
    uint64_t left_out; /* and records, or sides of pairs, of which it does not, or is not known */
};

/* by: expressions, NULL behind the last, at most LEDGER_KEYS; none: all is one row. metrics must
 * stay. */
bool ledger_open(struct ledger *ledger, const char *const *by, const struct metric *metrics,
                 const struct parameter *parameters, size_t limit, struct err *err);
void ledger_release(struct ledger *ledger);
/* Nothing is added of records of which this does not hold. It may ask about the other of a pair:
 * then who is alone is left out. */
bool ledger_only(struct ledger *ledger, const char *text, const struct parameter *parameters,
                 struct err *err);

/* Of a ledger that asks about pairs, records that are alone say nothing. */
void ledger_add(struct ledger *ledger, const struct sample *sample);
void ledger_add_pair(struct ledger *ledger, const struct sample *first,
                     const struct sample *second);

const uint64_t *ledger_key(const struct ledger *ledger, size_t row);
/* Rows by weight, the greatest first, then by key; the caller frees it with mem_free. */
uint32_t *ledger_ranking(const struct ledger *ledger);

struct metric_estimate metric_total(const struct metric_sum *sum);
struct metric_estimate metric_mean(const struct metric_sum *sum);
