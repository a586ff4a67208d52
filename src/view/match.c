#include "view/match.h"

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

/* "int a::b<c>::d(e) const" -> "a::b<c>::d". Brackets nest; a space outside of them ends a return
 * type. "operator()" keeps its own brackets. */
static void name_bare(const char *readable, char *bare, size_t room)
{
    size_t begin = 0, end = strlen(readable);
    int depth = 0;
    for (size_t i = 0; readable[i]; i++) {
        const char *at = readable + i;
        if (strncmp(at, "operator()", 10) == 0 && !depth)
            i += 9;
        else if (strncmp(at, "(anonymous namespace)", 21) == 0 && !depth)
            i += 20;
        else if (*at == '(' && !depth) {
            end = i;
            break;
        } else if (*at == '<' || *at == '(' || *at == '[')
            depth++;
        else if ((*at == '>' && i && readable[i - 1] != '-') || *at == ')' || *at == ']')
            depth -= depth > 0;
        else if (*at == ' ' && !depth && strncmp(readable + begin, "operator", 8) != 0)
            begin = i + 1;
    }
    size_t length = end > begin ? end - begin : 0;
    if (length >= room)
        length = room - 1;
    memcpy(bare, readable + begin, length);
    bare[length] = 0;
}

/* Template arguments left out: "a::b<c>::d" -> "a::b::d". */
static void name_plain(char *name)
{
    int depth = 0;
    char *to = name;
    for (const char *at = name; *at; at++) {
        if (*at == '<')
            depth++;
        if (!depth)
            *to++ = *at;
        if (*at == '>' && depth)
            depth--;
    }
    *to = 0;
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

bool name_matches(const char *pattern, const char *linkage, const char *readable)
{
    char bare[NAME_SHOWN];
    if (one_matches(pattern, linkage) || one_matches(pattern, readable))
        return true;
    /* A stub is not the function that it leads to. */
    name_stem(linkage, bare, sizeof bare);
    if (!strchr(linkage, '@') && one_matches(pattern, bare))
        return true;
    name_bare(readable, bare, sizeof bare);
    if (one_matches(pattern, bare))
        return true;
    name_plain(bare);
    return one_matches(pattern, bare);
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
