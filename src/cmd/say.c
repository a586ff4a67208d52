#include "cmd/cmd.h"

#include "base/err.h"
#include "cmd/options/progress.h"

#include <stdarg.h>
#include <stdio.h>

void say(const char *format, ...)
{
    va_list args;
    progress_end();
    va_start(args, format);
    fputs("gait: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

int say_err(const struct err *err)
{
    say("%s", err->text);
    switch (err->kind) {
    case ERR_USAGE: return EXIT_USAGE;
    case ERR_FORMAT:
    case ERR_MISSING: return EXIT_BAD_INPUT;
    default: return EXIT_FAILED;
    }
}
