#include "gcov/valued.h"

#include "gcov/find.h"
#include "gcov/dump_text.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 4096 };

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
    struct dump_text rest = {text, text + n}, line, name, last = {NULL, NULL};
    struct valued_function *function = NULL;
    size_t lines = 0;
    bool more = true;
    while (more) {
        more = dump_line_next(&rest, &line);
        bool statement = more && function && dump_skip(&line, "Stmt ");
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
        if (more && dump_function_take(line, &name)) {
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

/* A statement as the list has it: without the places before it and its operands. */
static void text_strip(char *text)
{
    struct dump_text rest = {text, text + strlen(text)};
    char *to = text;
    while (rest.at < rest.end) {
        const char *end = dump_place_end(rest);
        if (end)
            rest.at = end;
        else
            *to++ = *rest.at++;
    }
    *to = 0;
}

static void line_place(struct valued_function *function, struct dump_text line, struct arena *arena)
{
    char text[LINE_MOST];
    struct dump_place place;
    while (line.at < line.end && *line.at == ' ')
        line.at++;
    size_t n = (size_t)(line.end - line.at);
    if (line.at == line.end || *line.at != '[' || n >= sizeof text)
        return;
    memcpy(text, line.at, n);
    text[n] = 0;
    const char *end = dump_place_end((struct dump_text){text, text + n});
    if (!end || !dump_place_take(text, end, &place))
        return;
    const char *file =
        arena_string_n(arena, place.file.at, (size_t)(place.file.end - place.file.at));
    text_strip(text);
    for (size_t i = 0; i < function->n; i++) {
        struct valued_statement *statement = &function->at[i];
        if (statement->file || strcmp(statement->text, text) != 0)
            continue;
        statement->file = file;
        statement->line = place.line;
        statement->column = place.column;
        return;
    }
}

void valued_place(struct valued_functions *valued, const char *text, size_t n)
{
    struct dump_text rest = {text, text + n}, line, name;
    struct valued_function *function = NULL;
    while (dump_line_next(&rest, &line))
        if (dump_function_take(line, &name))
            function = function_find(
                valued, arena_string_n(&valued->arena, name.at, (size_t)(name.end - name.at)));
        else if (function && function->n)
            line_place(function, line, &valued->arena);
}

/* ---- files */

static int path_order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool valued_dumps_find(struct file_list *paths, struct arena *arena, const char *where,
                       struct err *err)
{
    if (!file_list_find(paths, arena, where, DUMP_LIST_ENDING, err) ||
        !file_list_find(paths, arena, where, DUMP_PLACES_ENDING, err))
        return false;
    if (paths->n)
        qsort(paths->at, paths->n, sizeof *paths->at, path_order);
    return true;
}

void valued_read(struct valued_functions *valued, const char *notes)
{
    size_t n;
    uint8_t *bytes = dump_read(&valued->arena, notes, DUMP_LIST_ENDING, &n);
    if (bytes)
        valued_list(valued, (const char *)bytes, n);
    mem_free(bytes);
    bytes = valued->n ? dump_read(&valued->arena, notes, DUMP_PLACES_ENDING, &n) : NULL;
    if (bytes)
        valued_place(valued, (const char *)bytes, n);
    mem_free(bytes);
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
