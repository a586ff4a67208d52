/* The list of questions that a page in a file asks: ui/questions.txt, which says how it is written.
 */
#pragma once

#include "serve/answer.h"

struct arena;

struct wanted_line {
    struct question question; /* the value of a parameter for each row is NULL */
    struct question smaller;  /* asked if the answer is too large; its route may be NULL */
    /* Asked for each of these; NULL: once. */
    const char *what, *source, *field; /* "functions", the key of a question, "address" */
    size_t most;
};

struct wanted_list {
    VEC(struct wanted_line);
};

/* The list is a part of gait: what is wrong in it is a bug. */
void wanted_read(struct wanted_list *wanted, struct arena *arena, const char *text, size_t n);
/* ROUTE?name=value&..., as questionKey of ui/ask.js writes it. */
char *question_key(struct arena *arena, const struct question *question);
/* The line's question about one row. */
struct question wanted_question(struct arena *arena, const struct wanted_line *line,
                                const char *value);
