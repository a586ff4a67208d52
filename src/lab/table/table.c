#include "lab/table/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct lab_row *lab_row_add(struct lab_rows *rows)
{
    struct lab_row *row = vec_push(rows);
    *row = (struct lab_row){.arena = &rows->arena};
    return row;
}

void lab_claim(struct lab_rows *rows, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    *vec_push(&rows->claims) = arena_string(&rows->arena, text);
}

void lab_point(struct lab_rows *rows, const char *series, const char *name, double x, double y)
{
    *vec_push(&rows->points) = (struct lab_point){series, arena_string(&rows->arena, name), x, y};
}

const char *lab_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void lab_text(struct lab_row *row, const char *text)
{
    *vec_push(&row->cells) = arena_string(row->arena, text);
}

void lab_cell(struct lab_row *row, const char *format, ...)
{
    char text[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    lab_text(row, text);
}

void lab_share(struct lab_row *row, double part, double whole)
{
    if (whole > 0)
        lab_cell(row, "%.1f%%", 100 * part / whole);
    else
        lab_text(row, "");
}
