/* A number made of what is known of one followed instruction, or of two that were followed
 * together: f(I1, I2) as text.
 *
 *     retired && done - fetch > 100
 *     other.retired && other.issue >= self.fetch && other.issue < self.done
 *
 * Names are those of fields and events (records/sample.h), of the instruction that is asked about
 * (`self`, which may be left out) or of the `other` of its pair, and those of parameters. Events
 * and comparisons are 1 or 0. Operators, from loose to tight: || && (== != < <= > >=) (+ -) (* /)
 * (! -); functions: min(a, b), max(a, b), abs(a), floor(a). Stages of both are on one clock, which
 * is at 0 when the pair's first was fetched.
 *
 * What was not measured is not a number, nor is anything made of it, but for a false && and a true
 * ||. */
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
    bool self_clocked, other_clocked;     /* whether their stages can be put on the pair's clock */
    uint64_t self_fetched, other_fetched; /* when, on it */
};

struct subject subject_alone(const struct sample *sample);
/* first and second: of a pair; about_first: which of them is asked about. */
struct subject subject_of_pair(const struct sample *first, const struct sample *second,
                               bool about_first);

/* False: not known. Long double, so that addresses keep all their bits. */
bool expression_value(const struct expression *expression, const struct subject *subject,
                      long double *ret_value);
