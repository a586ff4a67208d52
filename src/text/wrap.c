#include "text/wrap.h"

#include <stdbool.h>
#include <string.h>

/* Bytes of a colour's escape sequence; 0: none begins here. */
static size_t escape_bytes(const char *at, const char *end)
{
    if (end - at < 2 || at[0] != '\033' || at[1] != '[')
        return 0;
    const char *letter = memchr(at, 'm', (size_t)(end - at));
    return letter ? (size_t)(letter + 1 - at) : 0;
}

struct word {
    const char *at, *end; /* with the spaces before it */
    int spaces, width;    /* of these; of the rest, in characters */
};

/* False: there is no next one. */
static bool word_next(struct word *word, const char *end)
{
    const char *at = word->at = word->end;
    word->spaces = word->width = 0;
    while (at < end) {
        size_t escape = escape_bytes(at, end);
        if (escape) {
            at += escape;
            continue;
        }
        if (*at == ' ' && word->width)
            break;
        word->spaces += *at == ' ';
        word->width += *at != ' ' && (*at & 0xC0) != 0x80;
        at++;
    }
    word->end = at;
    return word->at < at;
}

static void put(struct bytes *to, const char *at, size_t n)
{
    bytes_add(to, at, n);
}

/* Without the spaces before it, but with its colours. */
static void word_put_at_margin(struct bytes *to, const struct word *word, int margin)
{
    for (int i = 0; i < margin; i++)
        put(to, " ", 1);
    for (const char *at = word->at; at < word->end;) {
        size_t escape = escape_bytes(at, word->end);
        if (escape || *at != ' ')
            put(to, at, escape ? escape : 1);
        at += escape ? escape : 1;
    }
}

static bool is_command(const char *line, size_t n)
{
    static const char command[] = "gait ";
    const char *at = line, *end = line + n;
    bool indented = false;
    while (at < end && (*at == ' ' || escape_bytes(at, end))) {
        indented |= *at == ' ';
        at += *at == ' ' ? 1 : escape_bytes(at, end);
    }
    size_t bytes = sizeof command - 1;
    return indented && (size_t)(end - at) > bytes && memcmp(at, command, bytes) == 0;
}

void wrap_line(struct bytes *to, const char *line, size_t n, int columns, int indent)
{
    struct word word = {.end = line};
    int width = 0, margin = -1; /* of what goes on; -1: not known yet */
    bool whole = columns <= 0 || is_command(line, n);
    while (word_next(&word, line + n)) {
        bool first = margin < 0;
        if (first)
            margin = word.spaces + indent < columns / 2 ? word.spaces + indent : columns / 2;
        if (!whole && !first && word.width && width + word.spaces + word.width > columns) {
            put(to, "\n", 1);
            word_put_at_margin(to, &word, margin);
            width = margin + word.width;
            continue;
        }
        put(to, word.at, (size_t)(word.end - word.at));
        width += word.spaces + word.width;
    }
    put(to, "\n", 1);
}
