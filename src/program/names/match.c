#include "program/names/match.h"

#include "base/memory.h"
#include "program/names/brief.h"

#include <fnmatch.h>
#include <string.h>

enum { NAME_SHOWN = 256 }; /* longer names are compared by so many bytes */

static bool is_glob(const char *pattern)
{
    return strpbrk(pattern, "*?[") != NULL;
}

static bool one_matches(const char *pattern, const char *name)
{
    return strcmp(pattern, name) == 0 || (is_glob(pattern) && fnmatch(pattern, name, 0) == 0);
}

/* "work.constprop.0" -> "work": what compilers put behind a name. */
static void name_stem(const char *linkage, char *stem, size_t room)
{
    size_t bytes = *linkage == '.' || *linkage == '[' ? strlen(linkage) : strcspn(linkage, ".");
    if (bytes >= room)
        bytes = room - 1;
    memcpy(stem, linkage, bytes);
    stem[bytes] = 0;
}

static bool bare_matches(const char *pattern, const char *readable)
{
    size_t room = strlen(readable) + 1;
    char *bare = mem_alloc(room);
    name_bare(readable, bare, room);
    bool matches = one_matches(pattern, bare);
    if (!matches) {
        name_untemplated(bare);
        matches = one_matches(pattern, bare);
    }
    mem_free(bare);
    return matches;
}

bool name_matches(const char *pattern, const char *linkage, const char *readable)
{
    char stem[NAME_SHOWN];
    if (one_matches(pattern, linkage) || one_matches(pattern, readable))
        return true;
    /* A stub is not the function that it leads to. */
    name_stem(linkage, stem, sizeof stem);
    if (!strchr(linkage, '@') && one_matches(pattern, stem))
        return true;
    return bare_matches(pattern, readable);
}

static size_t least(size_t a, size_t b, size_t c)
{
    size_t low = a < b ? a : b;
    return low < c ? low : c;
}

size_t name_distance(const char *typed, const char *name)
{
    enum { COMPLETION = 1, EDIT = 8 };
    size_t row[NAME_SHOWN + 1], width = strnlen(name, NAME_SHOWN);
    for (size_t j = 0; j <= width; j++)
        row[j] = COMPLETION * j;
    for (size_t i = 1; typed[i - 1] && i <= NAME_SHOWN; i++) {
        size_t diagonal = row[0];
        row[0] = EDIT * i;
        for (size_t j = 1; j <= width; j++) {
            size_t changed = diagonal + (typed[i - 1] == name[j - 1] ? 0 : EDIT);
            diagonal = row[j];
            row[j] = least(row[j] + EDIT, row[j - 1] + COMPLETION, changed);
        }
    }
    return row[width];
}
