#include "cmd/cmd.h"

#include "base/err.h"
#include "cmd/options/progress.h"
#include "text/wrap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char prefix[] = "gait: ";

/* 0: no terminal. */
static int error_columns(void)
{
    struct winsize size;
    return isatty(STDERR_FILENO) && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void say(const char *format, ...)
{
    va_list args;
    struct bytes text = {0}, lines = {0};
    progress_end();
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    bytes_add(&text, prefix, strlen(prefix));
    bytes_reserve(&text, text.n + (size_t)n + 1);
    va_start(args, format);
    vsnprintf((char *)text.at + text.n, (size_t)n + 1, format, args);
    va_end(args);
    wrap_line(&lines, (const char *)text.at, text.n + (size_t)n, error_columns(),
              (int)strlen(prefix));
    fwrite(lines.at, 1, lines.n, stderr);
    vec_release(&lines);
    vec_release(&text);
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
