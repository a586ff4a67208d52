#include "profile/kernel_table.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* "ffffffff81000000 T _stext\t[module]\n" */
static void line_take(struct kernel_table *table, char *line)
{
    char *end;
    uint64_t start = strtoull(line, &end, 16);
    if (!start || end[0] != ' ' || !end[1] || end[2] != ' ' || !strchr("tw", tolower(end[1])))
        return;
    char *name = end + 3, *module = strchr(name, '\t');
    name[strcspn(name, "\n")] = 0;
    if (module)
        *module = ' ';
    size_t bytes = strlen(name) + 1;
    *vec_push(table) = (struct kernel_function){.start = start, .name = (uint32_t)table->text.n};
    vec_room(&table->text, table->text.n + bytes);
    memcpy(table->text.at + table->text.n, name, bytes);
    table->text.n += bytes;
}

static int function_order(const void *a, const void *b)
{
    const struct kernel_function *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

void kernel_table_read(struct kernel_table *table, const char *path)
{
    enum { BUFFER = 1 << 16 }; /* the file is generated as it is read: large reads are cheaper */
    *table = (struct kernel_table){0};
    FILE *file = fopen(path, "re");
    char line[1024], *buffer = mem_alloc(BUFFER);
    if (file) {
        setvbuf(file, buffer, _IOFBF, BUFFER);
        while (fgets(line, sizeof line, file) && table->text.n < UINT32_MAX / 2)
            line_take(table, line);
        fclose(file);
    }
    mem_free(buffer);
    if (table->n)
        qsort(table->at, table->n, sizeof *table->at, function_order);
}

void kernel_table_release(struct kernel_table *table)
{
    vec_release(&table->text);
    vec_release(table);
}

/* How many functions start there or before. */
static size_t started(const struct kernel_table *table, uint64_t at)
{
    size_t low = 0, high = table->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->at[middle].start <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const char *kernel_table_find(const struct kernel_table *table, uint64_t at, uint64_t *ret_start)
{
    size_t n = started(table, at);
    if (!n)
        return NULL;
    const struct kernel_function *found = &table->at[n - 1];
    while (found > table->at && found[-1].start == found->start) /* the first of its names */
        found--;
    *ret_start = found->start;
    return table->text.at + found->name;
}

uint64_t kernel_table_end(const struct kernel_table *table, uint64_t start)
{
    size_t n = started(table, start);
    return n < table->n ? table->at[n].start : UINT64_MAX;
}
