#include "cmd/options/wrapped.h"

#include "base/bytes.h"
#include "text/wrap.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { INDENT = 2 };

static struct {
    struct bytes line, out; /* without its end yet; scratch */
    int columns;
    bool on;
} wrapped;

static bool write_all(const uint8_t *at, size_t n)
{
    while (n) {
        ssize_t written = write(STDOUT_FILENO, at, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        at += written;
        n -= (size_t)written;
    }
    return true;
}

/* 0 is an error, as fopencookie has it. */
static ssize_t lines_write(void *none, const char *text, size_t n)
{
    (void)none;
    wrapped.out.n = 0;
    for (const char *at = text, *end = text + n; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        bytes_add(&wrapped.line, at, (size_t)((newline ? newline : end) - at));
        if (!newline)
            break;
        wrap_line(&wrapped.out, (const char *)wrapped.line.at, wrapped.line.n, wrapped.columns,
                  INDENT);
        wrapped.line.n = 0;
        at = newline + 1;
    }
    return write_all(wrapped.out.at, wrapped.out.n) ? (ssize_t)n : 0;
}

static bool rest_write(void)
{
    bool ok = write_all(wrapped.line.at, wrapped.line.n);
    wrapped.line.n = 0;
    return ok;
}

static int lines_close(void *none)
{
    (void)none;
    bool ok = rest_write();
    vec_release(&wrapped.line);
    vec_release(&wrapped.out);
    return close(STDOUT_FILENO) == 0 && ok ? 0 : -1;
}

void wrapped_begin(int columns)
{
    cookie_io_functions_t functions = {.write = lines_write, .close = lines_close};
    if (wrapped.on || columns <= 0)
        return;
    fflush(stdout);
    FILE *lines = fopencookie(NULL, "w", functions);
    if (!lines)
        return;
    wrapped.columns = columns;
    wrapped.on = true;
    stdout = lines;
}

int wrapped_flush(void)
{
    int status = fflush(stdout);
    if (wrapped.on && status == 0 && !rest_write())
        status = EOF;
    return status;
}
