#include "text/json.h"

#include "base/utf8.h"

#include <math.h>
#include <string.h>

static void text_write(FILE *to, const char *text)
{
    fputc('"', to);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t n = utf8_bytes(at);
        if (!n)
            fputs("\\ufffd", to);
        else if (*at == '"' || *at == '\\')
            fprintf(to, "\\%c", *at);
        else if (*at < 0x20 || *at == 0x7F)
            fprintf(to, "\\u%04x", *at);
        else
            fwrite(at, 1, n, to);
        at += n ? n : 1;
    }
    fputc('"', to);
}

/* Rows of lists stand on lines of their own; the rest on one line each. */
static void key_write(struct json *json, const char *key)
{
    if (json->comma)
        fputs(json->depth == 1 || (json->depth == 2 && json->rows) ? ",\n" : ", ", json->to);
    json->comma = true;
    if (key) {
        text_write(json->to, key);
        fputs(": ", json->to);
    }
}

void json_begin(struct json *json, FILE *to)
{
    *json = (struct json){.to = to};
}

void json_end(struct json *json)
{
    fputc('\n', json->to);
}

static void level_open(struct json *json, const char *key, char bracket)
{
    key_write(json, key);
    fputc(bracket, json->to);
    json->depth++;
    json->comma = false;
}

static void level_close(struct json *json, char bracket)
{
    fputc(bracket, json->to);
    json->depth--;
    json->rows &= json->depth > 1;
    json->comma = true;
}

void json_object(struct json *json, const char *key)
{
    level_open(json, key, '{');
}

void json_object_end(struct json *json)
{
    level_close(json, '}');
}

void json_array(struct json *json, const char *key)
{
    level_open(json, key, '[');
    json->rows |= json->depth == 2;
    if (json->depth == 2)
        fputc('\n', json->to);
}

void json_array_end(struct json *json)
{
    level_close(json, ']');
}

void json_string(struct json *json, const char *key, const char *value)
{
    key_write(json, key);
    text_write(json->to, value);
}

void json_integer(struct json *json, const char *key, uint64_t value)
{
    key_write(json, key);
    fprintf(json->to, "%lu", value);
}

void json_number(struct json *json, const char *key, double value)
{
    key_write(json, key);
    if (!isfinite(value))
        fputs("null", json->to);
    else if (value == floor(value) && fabs(value) < 9e15)
        fprintf(json->to, "%.0f", value);
    else
        fprintf(json->to, "%.9g", value);
}

void json_bool(struct json *json, const char *key, bool value)
{
    key_write(json, key);
    fputs(value ? "true" : "false", json->to);
}

void json_null(struct json *json, const char *key)
{
    key_write(json, key);
    fputs("null", json->to);
}
