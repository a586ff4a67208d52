/* Whether a text is one JSON value, by the grammar of RFC 8259; shares nothing with the writer. */
#pragma once

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static inline const char *json_skip_space(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static inline const char *json_skip_string(const char *at)
{
    if (*at++ != '"')
        return NULL;
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < 0x20)
            return NULL;
        if (*at != '\\')
            continue;
        at++;
        if (*at == 'u') {
            for (int i = 0; i < 4; i++)
                if (!isxdigit((unsigned char)*++at))
                    return NULL;
        } else if (!*at || !strchr("\"\\/bfnrt", *at)) {
            return NULL;
        }
    }
    return at + 1;
}

static inline const char *json_skip_digits(const char *at)
{
    size_t n = strspn(at, "0123456789");
    return n ? at + n : NULL;
}

static inline const char *json_skip_number(const char *at)
{
    at += *at == '-';
    if (*at == '0')
        at++;
    else if (!(at = json_skip_digits(at)))
        return NULL;
    if (*at == '.' && !(at = json_skip_digits(at + 1)))
        return NULL;
    if (*at == 'e' || *at == 'E') {
        at++;
        at += *at == '+' || *at == '-';
        at = json_skip_digits(at);
    }
    return at;
}

static inline const char *json_skip_value(const char *at)
{
    static const char *const words[] = {"true", "false", "null"};
    at = json_skip_space(at);
    if (*at == '{' || *at == '[') {
        bool object = *at == '{';
        char close = object ? '}' : ']';
        at = json_skip_space(at + 1);
        if (*at == close)
            return at + 1;
        for (;;) {
            if (object) {
                at = json_skip_string(json_skip_space(at));
                if (!at || *(at = json_skip_space(at)) != ':')
                    return NULL;
                at++;
            }
            if (!(at = json_skip_value(at)))
                return NULL;
            at = json_skip_space(at);
            if (*at == close)
                return at + 1;
            if (*at++ != ',')
                return NULL;
        }
    }
    if (*at == '"')
        return json_skip_string(at);
    for (int i = 0; i < 3; i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return at + strlen(words[i]);
    return json_skip_number(at);
}

static inline bool json_is_valid(const char *text)
{
    const char *end = json_skip_value(text);
    return end && !*json_skip_space(end);
}
