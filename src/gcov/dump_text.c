#include "gcov/dump_text.h"

#include "base/err.h"
#include "gcov/find.h"
#include "gcov/format.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines */

bool dump_line_next(struct dump_text *text, struct dump_text *ret_line)
{
    if (text->at == text->end)
        return false;
    const char *end = memchr(text->at, '\n', (size_t)(text->end - text->at));
    *ret_line = (struct dump_text){text->at, end ? end : text->end};
    text->at = end ? end + 1 : text->end;
    return true;
}

bool dump_skip(struct dump_text *line, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(line->end - line->at) < n || memcmp(line->at, word, n) != 0)
        return false;
    line->at += n;
    return true;
}

bool dump_function_take(struct dump_text line, struct dump_text *ret_name)
{
    if (!dump_skip(&line, ";; Function "))
        return false;
    const char *end = memmem(line.at, (size_t)(line.end - line.at), ", funcdef_no=", 13), *at = end;
    while (at && at > line.at && at[-1] != '(')
        at--;
    if (!end || at == line.at)
        return false;
    *ret_name = (struct dump_text){at, end};
    return true;
}

/* ---- places */

const char *dump_place_end(struct dump_text line)
{
    if (line.at == line.end || *line.at != '[')
        return NULL;
    const char *end = memchr(line.at, ']', (size_t)(line.end - line.at));
    bool place =
        end && end + 1 < line.end && end[1] == ' ' && memchr(line.at, ':', (size_t)(end - line.at));
    return place ? end + 2 : NULL;
}

/* The number before `end`, behind a colon; *ret_end: that colon. */
static bool number_back(const char *from, const char *end, uint32_t *ret, const char **ret_end)
{
    const char *at = end;
    while (at > from && isdigit((unsigned char)at[-1]))
        at--;
    if (at == end || at == from || at[-1] != ':')
        return false;
    *ret = (uint32_t)strtoul(at, NULL, 10);
    *ret_end = at - 1;
    return true;
}

bool dump_place_take(const char *at, const char *end, struct dump_place *place)
{
    const char *from = at + 1, *last = end - 2;
    const char *more = memmem(from, (size_t)(last - from), " discrim ", 9);
    last = more ? more : last;
    if (!number_back(from, last, &place->column, &last) ||
        !number_back(from, last, &place->line, &last))
        return false;
    place->file = (struct dump_text){from, last};
    return true;
}

/* ---- files */

/* STEM.EXTENSION.069i.profile, and STEM.069i.profile. */
static bool is_dump(const char *name, const char *stem, size_t n, const char *ending)
{
    if (strncmp(name, stem, n) != 0 || name[n] != '.' || !path_ends_in(name, ending))
        return false;
    const char *end = name + strlen(name) - strlen(ending), *number = end;
    while (number > name + n && isdigit((unsigned char)number[-1]))
        number--;
    if (number == end || number[-1] != '.')
        return false;
    return number - 1 <= name + n ||
           !memchr(name + n + 1, '.', (size_t)(number - 1 - (name + n + 1)));
}

uint8_t *dump_read(struct arena *arena, const char *notes, const char *ending, size_t *ret_n)
{
    const char *slash = strrchr(notes, '/'), *stem = slash ? slash + 1 : notes, *path = NULL;
    if (!path_ends_in(stem, ".gcno"))
        return NULL;
    const char *folder = slash ? arena_string_n(arena, notes, (size_t)(slash - notes)) : ".";
    size_t n = strlen(stem) - strlen(".gcno");
    folder = *folder ? folder : "/";
    DIR *open = opendir(folder);
    struct dirent *entry;
    struct err none;
    while (open && !path && (entry = readdir(open)))
        if (is_dump(entry->d_name, stem, n, ending))
            path = arena_format(arena, "%s/%s", folder, entry->d_name);
    if (open)
        closedir(open);
    return path ? gcov_file_read(path, ret_n, &none) : NULL;
}
