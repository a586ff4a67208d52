#include "gcov/valued.h"

#include "base/err.h"
#include "gcov/find.h"
#include "gcov/format.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_ENDING "i.profile"
#define PLACES_ENDING "t.release_ssa"

enum { LINE_MOST = 4096 };

/* ---- lines */

struct text {
    const char *at, *end;
};

/* The next line without its newline. */
static bool line_next(struct text *text, struct text *ret_line)
{
    if (text->at == text->end)
        return false;
    const char *end = memchr(text->at, '\n', (size_t)(text->end - text->at));
    *ret_line = (struct text){text->at, end ? end : text->end};
    text->at = end ? end + 1 : text->end;
    return true;
}

static bool skip(struct text *line, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(line->end - line->at) < n || memcmp(line->at, word, n) != 0)
        return false;
    line->at += n;
    return true;
}

/* ;; Function m<int> (_Z1mIiET_S0_S0_, funcdef_no=2, ...: what the linker calls it. */
static bool function_take(struct text line, struct text *ret_name)
{
    if (!skip(&line, ";; Function "))
        return false;
    const char *end = memmem(line.at, (size_t)(line.end - line.at), ", funcdef_no=", 13), *at = end;
    while (at && at > line.at && at[-1] != '(')
        at--;
    if (!end || at == line.at)
        return false;
    *ret_name = (struct text){at, end};
    return true;
}

/* ---- which there are */

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

/* memcpy (x, y, n); or _5 = __builtin_memcpy (x, y, n); */
static bool is_string(const char *text)
{
    static const char *const names[] = {"memcpy (", "mempcpy (", "memset (", "memmove (",
                                        "bzero ("};
    const char *equals = strstr(text, " = ");
    const char *at = equals && equals < strchr(text, '(') ? equals + 3 : text;
    at += strncmp(at, "__builtin_", 10) == 0 ? 10 : 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(at, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* A line for each counter: three of a string operation and of an unsigned remainder. */
static void statements_add(struct valued_function *function, const char *text, size_t lines)
{
    size_t each = 1;
    uint8_t kind = VALUED_INDIRECT;
    if (strchr(text, '(') && is_string(text)) {
        kind = VALUED_STRING;
        each = 3;
    } else if (has(text, " % ") && lines == 3) {
        kind = VALUED_REMAINDER;
        each = 3;
    } else if (has(text, " % ") || has(text, " / ")) {
        kind = VALUED_DIVISION;
    }
    function->odd |= lines % each != 0 || (kind == VALUED_DIVISION && lines != 1);
    for (size_t i = 0; i < lines / each; i++)
        *vec_push(function) = (struct valued_statement){.kind = kind, .text = text};
}

static int function_order(const void *a, const void *b)
{
    return strcmp(((const struct valued_function *)a)->name,
                  ((const struct valued_function *)b)->name);
}

void valued_list(struct valued_functions *valued, const char *text, size_t n)
{
    struct text rest = {text, text + n}, line, name, last = {NULL, NULL};
    struct valued_function *function = NULL;
    size_t lines = 0;
    bool more = true;
    while (more) {
        more = line_next(&rest, &line);
        bool statement = more && function && skip(&line, "Stmt ");
        size_t bytes = statement ? (size_t)(line.end - line.at) : 0;
        if (statement && lines && bytes == (size_t)(last.end - last.at) &&
            memcmp(line.at, last.at, bytes) == 0) {
            lines++;
            continue;
        }
        if (lines)
            statements_add(function,
                           arena_string_n(&valued->arena, last.at, (size_t)(last.end - last.at)),
                           lines);
        last = line;
        lines = statement;
        if (more && function_take(line, &name)) {
            function = vec_push(valued);
            function->name = arena_string_n(&valued->arena, name.at, (size_t)(name.end - name.at));
        }
    }
    if (valued->n)
        qsort(valued->at, valued->n, sizeof *valued->at, function_order);
}

static struct valued_function *function_find(const struct valued_functions *valued,
                                             const char *name)
{
    struct valued_function key = {.name = name};
    return valued->n ? bsearch(&key, valued->at, valued->n, sizeof key, function_order) : NULL;
}

/* ---- where they are */

/* [a.c:12:107] or [a.c:12:107 discrim 2], and a blank. */
static const char *place_end(const char *at)
{
    const char *end = *at == '[' ? strchr(at, ']') : NULL;
    return end && end[1] == ' ' && memchr(at, ':', (size_t)(end - at)) ? end + 2 : NULL;
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

static bool place_take(const char *at, const char *end, struct arena *arena,
                       struct valued_statement *place)
{
    const char *from = at + 1, *last = end - 2;
    const char *more = memmem(from, (size_t)(last - from), " discrim ", 9);
    last = more ? more : last;
    if (!number_back(from, last, &place->column, &last) ||
        !number_back(from, last, &place->line, &last))
        return false;
    place->file = arena_string_n(arena, from, (size_t)(last - from));
    return true;
}

/* A statement as the list has it: without the places before it and its operands. */
static void text_strip(char *text)
{
    char *to = text;
    for (const char *at = text; *at;) {
        const char *end = place_end(at);
        if (end)
            at = end;
        else
            *to++ = *at++;
    }
    *to = 0;
}

static void line_place(struct valued_function *function, struct text line, struct arena *arena)
{
    char text[LINE_MOST];
    struct valued_statement place = {0};
    while (line.at < line.end && *line.at == ' ')
        line.at++;
    size_t n = (size_t)(line.end - line.at);
    if (line.at == line.end || *line.at != '[' || n >= sizeof text)
        return;
    memcpy(text, line.at, n);
    text[n] = 0;
    const char *end = place_end(text);
    if (!end || !place_take(text, end, arena, &place))
        return;
    text_strip(text);
    for (size_t i = 0; i < function->n; i++) {
        struct valued_statement *statement = &function->at[i];
        if (statement->file || strcmp(statement->text, text) != 0)
            continue;
        statement->file = place.file;
        statement->line = place.line;
        statement->column = place.column;
        return;
    }
}

void valued_place(struct valued_functions *valued, const char *text, size_t n)
{
    struct text rest = {text, text + n}, line, name;
    struct valued_function *function = NULL;
    while (line_next(&rest, &line))
        if (function_take(line, &name))
            function = function_find(
                valued, arena_string_n(&valued->arena, name.at, (size_t)(name.end - name.at)));
        else if (function && function->n)
            line_place(function, line, &valued->arena);
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

static int path_order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool valued_dumps_find(struct file_list *paths, struct arena *arena, const char *where,
                       struct err *err)
{
    if (!file_list_find(paths, arena, where, LIST_ENDING, err) ||
        !file_list_find(paths, arena, where, PLACES_ENDING, err))
        return false;
    if (paths->n)
        qsort(paths->at, paths->n, sizeof *paths->at, path_order);
    return true;
}

typedef void dump_reader(struct valued_functions *valued, const char *text, size_t n);

static void dump_read(struct valued_functions *valued, const char *folder, const char *stem,
                      size_t stem_n, const char *ending, dump_reader *read)
{
    DIR *open = opendir(folder);
    struct dirent *entry;
    while (open && (entry = readdir(open))) {
        struct err none;
        size_t n;
        if (!is_dump(entry->d_name, stem, stem_n, ending))
            continue;
        uint8_t *bytes =
            gcov_file_read(arena_format(&valued->arena, "%s/%s", folder, entry->d_name), &n, &none);
        if (bytes)
            read(valued, (const char *)bytes, n);
        mem_free(bytes);
        break;
    }
    if (open)
        closedir(open);
}

void valued_read(struct valued_functions *valued, const char *notes)
{
    const char *slash = strrchr(notes, '/'), *stem = slash ? slash + 1 : notes;
    if (!path_ends_in(stem, ".gcno"))
        return;
    const char *folder =
        slash ? arena_string_n(&valued->arena, notes, (size_t)(slash - notes)) : ".";
    size_t n = strlen(stem) - strlen(".gcno");
    dump_read(valued, *folder ? folder : "/", stem, n, LIST_ENDING, valued_list);
    if (valued->n)
        dump_read(valued, *folder ? folder : "/", stem, n, PLACES_ENDING, valued_place);
}

void valued_release(struct valued_functions *valued)
{
    for (size_t i = 0; i < valued->n; i++)
        vec_release(&valued->at[i]);
    vec_release(valued);
    arena_release(&valued->arena);
}

const struct valued_function *valued_find(const struct valued_functions *valued, const char *name)
{
    const struct valued_function *function = function_find(valued, name);
    return function && !function->odd ? function : NULL;
}
