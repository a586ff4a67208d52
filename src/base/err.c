#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool err_set(struct err *err, enum err_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    err->kind = kind;
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return false;
}

bool err_errno(struct err *err, const char *format, ...)
{
    int saved = errno;
    va_list args;
    va_start(args, format);
    err->kind = ERR_SYSTEM;
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    size_t used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, ": %s", strerror(saved));
    return false;
}

bool err_in(struct err *err, const char *format, ...)
{
    char context[sizeof err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(context, sizeof context, format, args);
    va_end(args);
    char inner[sizeof err->text];
    memcpy(inner, err->text, sizeof inner);
    size_t used = (size_t)snprintf(err->text, sizeof err->text, "%s: ", context);
    if (used < sizeof err->text) { /* cut where there is no room: one line is enough */
        size_t length = strnlen(inner, sizeof err->text - used - 1);
        memcpy(err->text + used, inner, length);
        err->text[used + length] = 0;
    }
    return false;
}

void assert_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "gait: bug: %s:%d: %s does not hold\n", file, line, condition);
    abort();
}
