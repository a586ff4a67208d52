/* An expression over one followed instruction, or over a pair: f(I1, I2) as text.
 *
 *     retired && done - fetch > 100
 *     other.retired && other.issue >= self.fetch && other.issue < self.done
 *
 * Names are fields and events (records/sample.h) of the instruction itself (`self`, optional) or of
 * the `other` of its pair, and parameters. Events and comparisons are 1 or 0. Operators, from loose
 * to tight: || && (== != < <= > >=) (+ -) (* /) (! -); functions: min(a, b), max(a, b), abs(a),
 * floor(a). Stages of both are on one clock, which is 0 when the first of the pair was fetched.
 *
 * An unmeasured field is not a number, and so is anything computed from it, except a false && and a
 * true ||. */
#pragma once

#include "base/vec.h"
#include "records/sample.h"

#include <stdbool.h>

struct err;

/* A constant by name, such as the width of a machine. */
struct parameter {
    const char *name; /* NULL ends a list */
    double value;
};

enum { EXPRESSION_STACK = 64 };

struct expression_step {
    uint8_t what; /* enum step_what, of expression.c */
    uint8_t of;   /* field or event */
    bool other;
    long double number;
};

struct expression {
    VEC(struct expression_step); /* postfix */
    bool pairs;                  /* asks about `other` */
};

/* False: err says what is wrong and at which character. parameters may be NULL. */
bool expression_parse(struct expression *ret_expression, const char *text,
                      const struct parameter *parameters, struct err *err);
void expression_release(struct expression *expression);

/* One instruction, or two of a pair. */
struct subject {
    const struct sample *self, *other;    /* other: NULL if there is none */
    bool self_clocked, other_clocked;     /* their stages can be put on the clock of the pair */
    uint64_t self_fetched, other_fetched; /* when, on it */
};

struct subject subject_alone(const struct sample *sample);
/* first and second: of a pair; about_first: which of them is asked about. */
struct subject subject_of_pair(const struct sample *first, const struct sample *second,
                               bool about_first);

/* False: not known. Long double, so that addresses keep all their bits. */
bool expression_value(const struct expression *expression, const struct subject *subject,
                      long double *ret_value);
