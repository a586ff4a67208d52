#include "cmd/optimize/specialise_source.h"

#include "base/err.h"
#include "base/memory.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

enum { PARAMETERS_MOST = 16 };

struct span {
    size_t from, to;
};

struct definition {
    const char *plain;                  /* the text without what is in comments and quotes */
    struct span head, parameters, body; /* head: up to the name; parameters: with parentheses */
    size_t name;
    struct span names[PARAMETERS_MOST];
    bool floating[PARAMETERS_MOST];
    uint32_t n;
};

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Comments, strings and characters become blanks; lines stay. */
static char *plain_make(struct arena *arena, const char *text)
{
    char *plain = arena_string(arena, text);
    for (char *at = plain; *at;) {
        char *end = at + 1;
        if (at[0] == '/' && at[1] == '/')
            end = at + strcspn(at, "\n");
        else if (at[0] == '/' && at[1] == '*')
            end = strstr(at + 2, "*/") ? strstr(at + 2, "*/") + 2 : at + strlen(at);
        else if (*at == '"' || *at == '\'') {
            while (*end && *end != *at)
                end += *end == '\\' && end[1] ? 2 : 1;
            end += *end != 0;
        } else {
            at++;
            continue;
        }
        for (; at < end; at++)
            *at = *at == '\n' ? '\n' : ' ';
    }
    return plain;
}

/* Behind the bracket that closes the one here; 0: none does. */
static size_t closed(const char *plain, size_t at, char open, char close)
{
    size_t depth = 0;
    for (; plain[at]; at++) {
        depth += plain[at] == open;
        depth -= plain[at] == close;
        if (!depth)
            return at + 1;
    }
    return 0;
}

static uint32_t line_of(const char *plain, size_t at)
{
    uint32_t line = 1;
    for (size_t i = 0; i < at; i++)
        line += plain[i] == '\n';
    return line;
}

/* Where what belongs to the definition begins: behind the last declaration, body or line for the
 * preprocessor. */
static size_t head_begin(const char *plain, size_t name)
{
    size_t from = name;
    while (from && plain[from - 1] != ';' && plain[from - 1] != '}')
        from--;
    for (size_t at = from; at < name; at++)
        if (plain[at] == '#')
            from = at = at + strcspn(plain + at, "\n");
    while (isspace((unsigned char)plain[from]))
        from++;
    return from;
}

static bool definition_at(struct definition *definition, size_t name, size_t letters, uint32_t line)
{
    const char *plain = definition->plain;
    size_t at = name + letters;
    at += strspn(plain + at, " \t\n");
    if (plain[at] != '(')
        return false;
    definition->parameters.from = at;
    definition->parameters.to = closed(plain, at, '(', ')');
    at = definition->parameters.to;
    if (!at)
        return false;
    at += strspn(plain + at, " \t\n");
    if (plain[at] != '{')
        return false;
    definition->body = (struct span){at, closed(plain, at, '{', '}')};
    definition->name = name;
    definition->head = (struct span){head_begin(plain, name), name};
    return definition->body.to && definition->head.from < name &&
           line_of(plain, name) <= line + 2 && line <= line_of(plain, definition->body.to);
}

static bool definition_find(struct definition *definition, const struct specialise_wish *wish)
{
    size_t letters = strlen(wish->function);
    const char *plain = definition->plain;
    for (const char *at = plain; (at = strstr(at, wish->function)); at += letters) {
        bool word = (at == plain || !is_letter(at[-1])) && !is_letter(at[letters]);
        if (word && definition_at(definition, (size_t)(at - plain), letters, wish->line))
            return true;
    }
    return false;
}

/* "const char *name" or "double x[2]": its last word is the name. */
static bool parameter_read(struct definition *definition, struct span span)
{
    const char *plain = definition->plain;
    size_t to = span.to, from;
    if (definition->n == PARAMETERS_MOST || memchr(plain + span.from, '(', span.to - span.from) ||
        memchr(plain + span.from, '.', span.to - span.from))
        return false;
    const char *bracket = memchr(plain + span.from, '[', span.to - span.from);
    if (bracket)
        to = (size_t)(bracket - plain);
    while (to > span.from && isspace((unsigned char)plain[to - 1]))
        to--;
    for (from = to; from > span.from && is_letter(plain[from - 1]);)
        from--;
    size_t type = span.from + strspn(plain + span.from, " \t\n");
    if (from == to || from <= type)
        return false;
    const char *real = memmem(plain + type, from - type, "double", 6);
    real = real ? real : memmem(plain + type, from - type, "float", 5);
    bool pointer = bracket || memchr(plain + type, '*', from - type);
    definition->floating[definition->n] = real && !pointer;
    definition->names[definition->n++] = (struct span){from, to};
    return true;
}

static bool parameters_read(struct definition *definition)
{
    const char *plain = definition->plain;
    size_t from = definition->parameters.from + 1, end = definition->parameters.to - 1;
    for (size_t at = from; at <= end; at++) {
        if (plain[at] == '(')
            return false;
        if (at < end && plain[at] != ',')
            continue;
        if (!parameter_read(definition, (struct span){from, at}))
            return false;
        from = at + 1;
    }
    return true;
}

/* The head without what the copy must not have. */
static const char *head_bare(struct arena *arena, const struct definition *definition)
{
    static const char *const words[] = {"static", "extern", "inline", "__inline", "__inline__"};
    char *head = arena_format(arena, "%.*s", (int)(definition->head.to - definition->head.from),
                              definition->plain + definition->head.from);
    for (char *at; (at = strstr(head, "__attribute__"));) {
        size_t open = (size_t)(at - head) + strcspn(at, "(");
        size_t end = head[open] ? closed(head, open, '(', ')') : 0;
        memset(at, ' ', end ? end - (size_t)(at - head) : 13);
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (char *at = head; (at = strstr(at, words[i]));) {
            size_t n = strlen(words[i]);
            bool word = (at == head || !is_letter(at[-1])) && !is_letter(at[n]);
            if (word)
                memset(at, ' ', n);
            at += n;
        }
    size_t n = 0; /* one blank where there are several */
    for (size_t i = 0; head[i]; i++)
        if (!isspace((unsigned char)head[i]) || (n && head[n - 1] != ' '))
            head[n++] = isspace((unsigned char)head[i]) ? ' ' : head[i];
    head[n] = 0;
    return head;
}

/* "f__copied(a, 2, c)" */
static const char *call_make(struct arena *arena, const struct definition *definition,
                             const struct specialise_wish *wish, uint32_t constant)
{
    const char *call = arena_format(arena, "%s__copied(", wish->function);
    for (uint32_t i = 0; i < definition->n; i++) {
        const char *comma = i ? ", " : "";
        if (i == constant)
            call = arena_format(arena, "%s%s%" PRId64, call, comma, wish->value);
        else
            call = arena_format(arena, "%s%s%.*s", call, comma,
                                (int)(definition->names[i].to - definition->names[i].from),
                                definition->plain + definition->names[i].from);
    }
    return arena_format(arena, "%s)", call);
}

/* Which parameter is the argument with that number. */
static uint32_t parameter_of(const struct definition *definition, uint32_t argument)
{
    for (uint32_t i = 0; i < definition->n; i++)
        if (!definition->floating[i] && !--argument)
            return i;
    return PARAMETERS_MOST;
}

static const char *rewritten(struct arena *arena, const char *text,
                             const struct definition *definition,
                             const struct specialise_wish *wish, uint32_t parameter)
{
    const struct span *head = &definition->head, *parameters = &definition->parameters;
    const struct span *body = &definition->body, *name = &definition->names[parameter];
    int n_parameters = (int)(parameters->to - parameters->from);
    return arena_format(
        arena,
        "%.*sstatic inline __attribute__((always_inline)) %s%s__copied%.*s\n%.*s\n\n"
        "%.*s%s%.*s\n{\n    if (%.*s == %" PRId64 ")\n        return %s;\n    return %s;\n}%s",
        (int)head->from, text, head_bare(arena, definition), wish->function, n_parameters,
        text + parameters->from, (int)(body->to - body->from), text + body->from,
        (int)(head->to - head->from), text + head->from, wish->function, n_parameters,
        text + parameters->from, (int)(name->to - name->from), text + name->from, wish->value,
        call_make(arena, definition, wish, parameter),
        call_make(arena, definition, wish, PARAMETERS_MOST), text + body->to);
}

const char *specialise_source(struct arena *arena, const char *text,
                              const struct specialise_wish *wish, struct err *err)
{
    struct definition definition = {.plain = plain_make(arena, text)};
    if (!definition_find(&definition, wish)) {
        err_set(err, ERR_FORMAT, "no definition of %s at line %u", wish->function, wish->line);
        return NULL;
    }
    if (!parameters_read(&definition) || memchr(definition.plain + definition.head.from, '#',
                                                definition.body.to - definition.head.from)) {
        err_set(err, ERR_FORMAT,
                "%s: its parameters, or lines for the preprocessor in it, are "
                "beyond what can be rewritten",
                wish->function);
        return NULL;
    }
    uint32_t parameter = parameter_of(&definition, wish->argument);
    if (parameter == PARAMETERS_MOST) {
        err_set(err, ERR_FORMAT, "%s: it has no argument %u", wish->function, wish->argument);
        return NULL;
    }
    return rewritten(arena, text, &definition, wish, parameter);
}
