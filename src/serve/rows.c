#include "serve/rows.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct scan {
    const char *at, *end;
    struct arena *arena;
    bool bad;
};

static char peek(struct scan *scan)
{
    while (scan->at < scan->end && strchr(" \n\r\t,:", *scan->at))
        scan->at++;
    return scan->at < scan->end ? *scan->at : 0;
}

static bool is(struct scan *scan, char c)
{
    if (peek(scan) != c || !c)
        return false;
    scan->at++;
    return true;
}

/* The character of \uXXXX as UTF-8. Commands write these for control characters alone. */
static char *add_escaped(char *to, const char *digits)
{
    char hex[5] = {digits[0], digits[1], digits[2], digits[3], 0};
    unsigned long c = strtoul(hex, NULL, 16);
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xc0 | c >> 6);
        *to++ = (char)(0x80 | (c & 63));
    } else {
        *to++ = (char)(0xe0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 63));
        *to++ = (char)(0x80 | (c & 63));
    }
    return to;
}

/* The quote that ends a string, whose text begins here; NULL: it has no end. */
static const char *string_end(const struct scan *scan, const char *at)
{
    while (at < scan->end && *at != '"')
        at += at + 1 < scan->end && *at == '\\' ? 2 : 1;
    return at < scan->end ? at : NULL;
}

/* NULL, and scan->bad: no string. */
static char *take_string(struct scan *scan)
{
    static const char names[] = "bfnrt", means[] = "\b\f\n\r\t";
    const char *quote = is(scan, '"') ? string_end(scan, scan->at) : NULL;
    if (!quote) {
        scan->bad = true;
        return NULL;
    }
    char *text = arena_alloc(scan->arena, (size_t)(quote - scan->at) + 1), *to = text;
    while (scan->at < quote) {
        const char *name;
        if (*scan->at != '\\') {
            *to++ = *scan->at++;
        } else if (scan->at[1] == 'u' && quote - scan->at >= 6) {
            to = add_escaped(to, scan->at + 2);
            scan->at += 6;
        } else {
            name = strchr(names, scan->at[1]);
            *to++ = name ? means[name - names] : scan->at[1];
            scan->at += 2;
        }
    }
    scan->at = quote + 1;
    return text;
}

/* Anything: a string is skipped as a whole, all else to the end of its brackets. */
static void skip(struct scan *scan)
{
    int depth = 0;
    do {
        char c = peek(scan);
        if (!c) {
            scan->bad = true;
        } else if (c == '"') {
            const char *quote = string_end(scan, scan->at + 1);
            scan->at = quote ? quote + 1 : scan->end;
        } else if (c == '{' || c == '[') {
            depth++, scan->at++;
        } else if (c == '}' || c == ']') {
            depth--, scan->at++;
        } else {
            while (scan->at < scan->end && !strchr(" \n\r\t,:{}[]\"", *scan->at))
                scan->at++;
        }
    } while (depth > 0 && !scan->bad);
}

static bool is_weight(const char *name)
{
    return strcmp(name, "time") == 0 || strcmp(name, "count") == 0 ||
           strcmp(name, "instructions") == 0;
}

/* One row; its value is NULL if nobody asks for more about it. */
static char *take_row(struct scan *scan, const char *field)
{
    char *value = NULL;
    bool weighs = false, has_weight = false, kernel = false;
    while (!is(scan, '}') && !scan->bad) {
        const char *name = take_string(scan);
        char first = peek(scan);
        if (!name || !first)
            break;
        if (strcmp(name, field) == 0 && first == '"') {
            value = take_string(scan);
            continue;
        }
        if (strcmp(name, field) == 0 && first >= '0' && first <= '9') {
            size_t n = strspn(scan->at, "0123456789.");
            value = arena_string_n(scan->arena, scan->at, n);
        }
        kernel |= strcmp(name, "kernel") == 0 && first == 't';
        if (is_weight(name)) {
            has_weight = true;
            weighs |= first != 'n' && strtod(scan->at, NULL) > 0;
        }
        skip(scan);
    }
    return kernel || (has_weight && !weighs) ? NULL : value;
}

void rows_field(struct row_values *to, struct arena *arena, const char *text, size_t n,
                const char *field)
{
    /* Numbers are read up to a NUL. */
    char *copy = arena_string_n(arena, text, n);
    struct scan scan = {.at = copy, .end = copy + strlen(copy), .arena = arena};
    if (!is(&scan, '{'))
        return;
    while (!is(&scan, '}') && !scan.bad) {
        const char *name = take_string(&scan);
        if (!name || strcmp(name, "rows") != 0 || !is(&scan, '[')) {
            skip(&scan);
            continue;
        }
        while (is(&scan, '{') && !scan.bad) {
            char *value = take_row(&scan, field);
            if (value && *value && !scan.bad)
                *vec_push(to) = value;
        }
        return;
    }
}
