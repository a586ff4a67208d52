#include "records/expression.h"

#include "base/err.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum step_what {
    STEP_NUMBER,
    STEP_FIELD,
    STEP_EVENT,
    STEP_NEGATE,
    STEP_NOT,
    STEP_ABS,
    STEP_FLOOR,
    STEP_ADD,
    STEP_SUBTRACT,
    STEP_MULTIPLY,
    STEP_DIVIDE,
    STEP_EQUAL,
    STEP_UNEQUAL,
    STEP_LESS,
    STEP_LESS_EQUAL,
    STEP_MORE,
    STEP_MORE_EQUAL,
    STEP_AND,
    STEP_OR,
    STEP_MIN,
    STEP_MAX,
};

/* ---- parsing */

enum { NESTING_MAX = 32, STEPS_MAX = 1024 };

struct parser {
    struct expression *expression;
    const char *text, *at;
    const struct parameter *parameters;
    int nesting, height; /* height: of the stack, once all so far is done */
    struct err *err;
};

static bool wrong(struct parser *parser, const char *what)
{
    return err_set(parser->err, ERR_USAGE, "character %zu, at \"%.20s\": %s",
                   (size_t)(parser->at - parser->text) + 1, parser->at, what);
}

static void blanks_skip(struct parser *parser)
{
    while (isspace((unsigned char)*parser->at))
        parser->at++;
}

/* The next is that sign, and is taken. */
static bool sign_take(struct parser *parser, const char *sign)
{
    size_t n = strlen(sign);
    blanks_skip(parser);
    if (strncmp(parser->at, sign, n) != 0)
        return false;
    parser->at += n;
    return true;
}

/* pops: how many numbers it takes for the one it gives. */
static bool step_add(struct parser *parser, struct expression_step step, int pops)
{
    if (parser->expression->n == STEPS_MAX)
        return wrong(parser, "too long");
    parser->height += 1 - pops;
    if (parser->height > EXPRESSION_STACK)
        return wrong(parser, "too deep");
    *vec_push(parser->expression) = step;
    return true;
}

static bool operator_add(struct parser *parser, enum step_what what, int pops)
{
    return step_add(parser, (struct expression_step){.what = (uint8_t)what}, pops);
}

static bool or_parse(struct parser *parser);

static size_t word_length(const char *at)
{
    size_t n = 0;
    if (!isalpha((unsigned char)*at) && *at != '_')
        return 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_')
        n++;
    return n;
}

static bool word_is(const char *at, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(at, word, n) == 0;
}

static bool call_parse(struct parser *parser, enum step_what what, int arguments)
{
    for (int i = 0; i < arguments; i++) {
        if (!sign_take(parser, i ? "," : "("))
            return wrong(parser, i ? "a comma and another argument must follow"
                                   : "a function needs parentheses");
        if (!or_parse(parser))
            return false;
    }
    if (!sign_take(parser, ")"))
        return wrong(parser, "a closing parenthesis is missing");
    return operator_add(parser, what, arguments);
}

static bool member_parse(struct parser *parser, bool other)
{
    size_t n = word_length(parser->at);
    enum sample_field field = sample_field_find(parser->at, n);
    enum sample_event event = sample_event_find(parser->at, n);
    struct expression_step step = {.what = STEP_FIELD, .of = (uint8_t)field, .other = other};
    if (!n || (field == SAMPLE_N && event == EVENTS_N))
        return wrong(parser,
                     "no such field, event, parameter or function; gait list fields has them");
    if (field == SAMPLE_N)
        step = (struct expression_step){.what = STEP_EVENT, .of = (uint8_t)event, .other = other};
    parser->at += n;
    parser->expression->pairs |= other;
    return step_add(parser, step, 0);
}

static bool word_parse(struct parser *parser, size_t n)
{
    static const struct {
        const char *name;
        enum step_what what;
        int arguments;
    } functions[] = {
        {"min", STEP_MIN, 2}, {"max", STEP_MAX, 2}, {"abs", STEP_ABS, 1}, {"floor", STEP_FLOOR, 1}};
    const char *word = parser->at;
    bool self = word_is(word, n, "self"), other = word_is(word, n, "other");
    if (self || other) {
        parser->at += n;
        if (!sign_take(parser, "."))
            return wrong(parser, "a dot and the name of a field must follow");
        blanks_skip(parser);
        return member_parse(parser, other);
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (word_is(word, n, functions[i].name)) {
            parser->at += n;
            return call_parse(parser, functions[i].what, functions[i].arguments);
        }
    for (const struct parameter *p = parser->parameters; p && p->name; p++)
        if (word_is(word, n, p->name)) {
            parser->at += n;
            return step_add(parser,
                            (struct expression_step){.what = STEP_NUMBER, .number = p->value}, 0);
        }
    return member_parse(parser, false);
}

static bool number_parse(struct parser *parser)
{
    char *end;
    long double number = strtold(parser->at, &end);
    if (word_length(end))
        return wrong(parser, "not a number");
    parser->at = end;
    return step_add(parser, (struct expression_step){.what = STEP_NUMBER, .number = number}, 0);
}

static bool primary_parse(struct parser *parser)
{
    blanks_skip(parser);
    size_t n = word_length(parser->at);
    if (n)
        return word_parse(parser, n);
    if (isdigit((unsigned char)*parser->at) ||
        (*parser->at == '.' && isdigit((unsigned char)parser->at[1])))
        return number_parse(parser);
    if (!sign_take(parser, "("))
        return wrong(parser, *parser->at ? "a number, a name or a parenthesis must stand here"
                                         : "something is missing at the end");
    if (!or_parse(parser))
        return false;
    return sign_take(parser, ")") || wrong(parser, "a closing parenthesis is missing");
}

static bool unary_parse(struct parser *parser)
{
    blanks_skip(parser);
    bool negate = *parser->at == '-', invert = *parser->at == '!' && parser->at[1] != '=';
    if (!negate && !invert)
        return primary_parse(parser);
    if (parser->nesting++ == NESTING_MAX)
        return wrong(parser, "nested too deeply");
    parser->at++;
    bool ok = unary_parse(parser) && operator_add(parser, negate ? STEP_NEGATE : STEP_NOT, 1);
    parser->nesting--;
    return ok;
}

struct operator
{
    const char *sign;
    enum step_what what;
};

/* Of equal rank, from left to right. Longer signs stand before what they begin with. */
static bool rank_parse(struct parser *parser, const struct operator* operators, size_t n,
                       bool (*tighter)(struct parser *))
{
    if (!tighter(parser))
        return false;
    for (size_t i = 0; i < n;) {
        if (!sign_take(parser, operators[i].sign)) {
            i++;
            continue;
        }
        if (!tighter(parser) || !operator_add(parser, operators[i].what, 2))
            return false;
        i = 0;
    }
    return true;
}

#define RANK(name, tighter, ...)                                                                   \
    static bool name(struct parser *parser)                                                        \
    {                                                                                              \
        static const struct operator list[] = {__VA_ARGS__};                                       \
        return rank_parse(parser, list, sizeof list / sizeof *list, tighter);                      \
    }
RANK(product_parse, unary_parse, {"*", STEP_MULTIPLY}, {"/", STEP_DIVIDE})
RANK(sum_parse, product_parse, {"+", STEP_ADD}, {"-", STEP_SUBTRACT})
RANK(comparison_parse, sum_parse, {"==", STEP_EQUAL}, {"!=", STEP_UNEQUAL}, {"<=", STEP_LESS_EQUAL},
     {">=", STEP_MORE_EQUAL}, {"<", STEP_LESS}, {">", STEP_MORE})
RANK(and_parse, comparison_parse, {"&&", STEP_AND})
RANK(or_rank_parse, and_parse, {"||", STEP_OR})

static bool or_parse(struct parser *parser)
{
    if (parser->nesting++ == NESTING_MAX)
        return wrong(parser, "nested too deeply");
    bool ok = or_rank_parse(parser);
    parser->nesting--;
    return ok;
}

bool expression_parse(struct expression *ret_expression, const char *text,
                      const struct parameter *parameters, struct err *err)
{
    struct expression expression = {0};
    struct parser parser = {
        .expression = &expression, .text = text, .at = text, .parameters = parameters, .err = err};
    bool ok = or_parse(&parser);
    blanks_skip(&parser);
    if (ok && *parser.at)
        ok = wrong(&parser, "an operator must stand here");
    if (!ok) {
        expression_release(&expression);
        return err_in(err, "expression");
    }
    *ret_expression = expression;
    return true;
}

void expression_release(struct expression *expression)
{
    vec_release(expression);
}

/* ---- subjects */

struct subject subject_alone(const struct sample *sample)
{
    return (struct subject){.self = sample, .self_clocked = true};
}

struct subject subject_of_pair(const struct sample *first, const struct sample *second,
                               bool about_first)
{
    bool clocked = sample_knows(second, SAMPLE_APART);
    uint64_t apart = second->at[SAMPLE_APART];
    if (about_first)
        return (struct subject){first, second, true, clocked, 0, apart};
    /* If it is not known how far apart they are, each is alone with its clock. */
    return (struct subject){second, first, true, clocked, clocked ? apart : 0, 0};
}

/* ---- values */

struct value {
    bool known;
    long double v;
};

static struct value field_value(const struct expression_step *step, const struct subject *subject)
{
    const struct sample *sample = step->other ? subject->other : subject->self;
    enum sample_field field = (enum sample_field)step->of;
    if (!sample || !sample_knows(sample, field))
        return (struct value){0};
    long double v = sample->at[field];
    if (!sample_is_stage(field))
        return (struct value){true, v};
    return (struct value){step->other ? subject->other_clocked : subject->self_clocked,
                          v + (step->other ? subject->other_fetched : subject->self_fetched)};
}

static struct value event_value(const struct expression_step *step, const struct subject *subject)
{
    const struct sample *sample = step->other ? subject->other : subject->self;
    enum sample_event event = (enum sample_event)step->of;
    if (!sample || !sample_event_known(sample, event))
        return (struct value){0};
    return (struct value){true, sample_happened(sample, event)};
}

static struct value and_value(struct value a, struct value b)
{
    if ((a.known && a.v == 0) || (b.known && b.v == 0))
        return (struct value){true, 0};
    return (struct value){a.known && b.known, 1};
}

static struct value or_value(struct value a, struct value b)
{
    if ((a.known && a.v != 0) || (b.known && b.v != 0))
        return (struct value){true, 1};
    return (struct value){a.known && b.known, 0};
}

static struct value both_value(enum step_what what, struct value a, struct value b)
{
    struct value r = {.known = a.known && b.known};
    switch (what) {
    case STEP_AND: return and_value(a, b);
    case STEP_OR: return or_value(a, b);
    case STEP_ADD: r.v = a.v + b.v; break;
    case STEP_SUBTRACT: r.v = a.v - b.v; break;
    case STEP_MULTIPLY: r.v = a.v * b.v; break;
    case STEP_DIVIDE:
        r.known &= b.v != 0;
        r.v = b.v != 0 ? a.v / b.v : 0;
        break;
    case STEP_EQUAL: r.v = a.v == b.v; break;
    case STEP_UNEQUAL: r.v = a.v != b.v; break;
    case STEP_LESS: r.v = a.v < b.v; break;
    case STEP_LESS_EQUAL: r.v = a.v <= b.v; break;
    case STEP_MORE: r.v = a.v > b.v; break;
    case STEP_MORE_EQUAL: r.v = a.v >= b.v; break;
    case STEP_MIN: r.v = a.v < b.v ? a.v : b.v; break;
    default: r.v = a.v > b.v ? a.v : b.v; break;
    }
    return r;
}

bool expression_value(const struct expression *expression, const struct subject *subject,
                      long double *ret_value)
{
    struct value stack[EXPRESSION_STACK];
    size_t n = 0;
    for (size_t i = 0; i < expression->n; i++) {
        const struct expression_step *step = &expression->at[i];
        switch (step->what) {
        case STEP_NUMBER: stack[n++] = (struct value){true, step->number}; break;
        case STEP_FIELD: stack[n++] = field_value(step, subject); break;
        case STEP_EVENT: stack[n++] = event_value(step, subject); break;
        case STEP_NEGATE: stack[n - 1].v = -stack[n - 1].v; break;
        case STEP_NOT: stack[n - 1].v = stack[n - 1].v == 0; break;
        case STEP_ABS: stack[n - 1].v = fabsl(stack[n - 1].v); break;
        case STEP_FLOOR: stack[n - 1].v = floorl(stack[n - 1].v); break;
        default:
            n--;
            stack[n - 1] = both_value((enum step_what)step->what, stack[n - 1], stack[n]);
            break;
        }
    }
    if (!n || !stack[0].known)
        return false;
    *ret_value = stack[0].v;
    return true;
}
