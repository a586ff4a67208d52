#include "lab/lab.h"

#include "lab/costs.h"
#include "lab/hot.h"
#include "lab/misses.h"
#include "lab/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct lab_table *const lab_tables[] = {
    &lab_overhead,      &lab_perturbation, &lab_tree, &lab_hot_paths,
    &lab_hot_functions, &lab_misses,       NULL};

const struct lab_table *lab_table_find(const char *name)
{
    for (size_t i = 0; lab_tables[i]; i++)
        if (strcmp(lab_tables[i]->name, name) == 0)
            return lab_tables[i];
    return NULL;
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
