#include "serve/wanted.h"

#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct question_param *)a)->name,
                  ((const struct question_param *)b)->name);
}

/* ROUTE?name=value&...; a value "*" is that of a row. */
static struct question question_read(struct arena *arena, char *text)
{
    struct question question = {.route = text};
    char *at = strchr(text, '?'), *next;
    if (!at)
        return question;
    *at++ = 0;
    question.params = arena_alloc(arena, QUESTION_PARAMS_MOST * sizeof *question.params);
    for (; at; at = next) {
        ASSERT(question.params_n < QUESTION_PARAMS_MOST);
        if ((next = strchr(at, '&')))
            *next++ = 0;
        char *value = strchr(at, '=');
        ASSERT(value);
        *value++ = 0;
        question.params[question.params_n++] =
            (struct question_param){at, strcmp(value, "*") == 0 ? NULL : value};
    }
    qsort(question.params, question.params_n, sizeof *question.params, by_name);
    return question;
}

static char *key_of(struct arena *arena, const char *text)
{
    struct question question = question_read(arena, arena_string(arena, text));
    return question_key(arena, &question);
}

/* {WHAT QUESTION FIELD MOST} becomes "*". */
static void rows_read(struct wanted_line *line, struct arena *arena, char *text)
{
    char what[64], source[256], field[64], *open = strchr(text, '{');
    if (!open)
        return;
    char *close = strchr(open, '}');
    ASSERT(close);
    int n = sscanf(open, "{%63s %255s %63s %zu}", what, source, field, &line->most);
    ASSERT(n == 4);
    line->what = arena_string(arena, what);
    line->source = key_of(arena, source);
    line->field = arena_string(arena, field);
    *open = '*';
    memmove(open + 1, close + 1, strlen(close + 1) + 1);
}

static void line_read(struct wanted_list *wanted, struct arena *arena, char *text)
{
    static const char other[] = " or ";
    struct wanted_line *line = vec_push(wanted);
    rows_read(line, arena, text);
    char *smaller = strstr(text, other);
    if (smaller) {
        *smaller = 0;
        line->smaller = question_read(arena, smaller + sizeof other - 1);
    }
    line->question = question_read(arena, text);
}

void wanted_read(struct wanted_list *wanted, struct arena *arena, const char *text, size_t n)
{
    char *at = arena_string_n(arena, text, n), *next;
    for (; *at; at = next) {
        size_t length = strcspn(at, "\n");
        next = at + length + (at[length] == '\n');
        at[length] = 0;
        if (*at && *at != '#')
            line_read(wanted, arena, at);
    }
}

/* As URLSearchParams writes them. */
static void add_encoded(struct bytes *to, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        char escaped[4];
        if (plain || strchr("*-._", c)) {
            bytes_add(to, &c, 1);
        } else if (c == ' ') {
            bytes_add(to, "+", 1);
        } else {
            snprintf(escaped, sizeof escaped, "%%%02X", c);
            bytes_add(to, escaped, 3);
        }
    }
}

char *question_key(struct arena *arena, const struct question *question)
{
    struct bytes key = {0};
    bytes_add(&key, question->route, strlen(question->route));
    for (size_t i = 0; i < question->params_n; i++) {
        bytes_add(&key, i ? "&" : "?", 1);
        add_encoded(&key, question->params[i].name);
        bytes_add(&key, "=", 1);
        add_encoded(&key, question->params[i].value);
    }
    char *text = arena_string_n(arena, (const char *)key.at, key.n);
    vec_release(&key);
    return text;
}

struct question wanted_question(struct arena *arena, const struct wanted_line *line,
                                const char *value)
{
    struct question question = line->question;
    size_t bytes = question.params_n * sizeof *question.params;
    if (!line->what)
        return question;
    question.params = memcpy(arena_alloc(arena, bytes), line->question.params, bytes);
    for (size_t i = 0; i < question.params_n; i++)
        if (!question.params[i].value)
            question.params[i].value = value;
    return question;
}
