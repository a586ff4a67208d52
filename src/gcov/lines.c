#include "gcov/lines.h"

#include <stdlib.h>
#include <string.h>

const char *file_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

struct entry {
    const char *name;
    uint32_t line, block;
};

static int place_order(const char *name_a, uint32_t line_a, const char *name_b, uint32_t line_b)
{
    if (line_a != line_b)
        return line_a < line_b ? -1 : 1;
    return name_a == name_b ? 0 : strcmp(name_a, name_b);
}

static int entry_order(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = place_order(x->name, x->line, y->name, y->line);
    return order ? order : x->block < y->block ? -1 : x->block > y->block;
}

void line_groups_make(struct line_groups *groups, const struct notes_function *function)
{
    size_t n = function->lines.n;
    struct entry *entries = mem_alloc((n + 1) * sizeof *entries);
    *groups = (struct line_groups){0};
    for (size_t i = 0; i < n; i++) {
        const struct notes_line *line = &function->lines.at[i];
        entries[i] = (struct entry){file_last_part(line->file), line->line, line->block};
    }
    qsort(entries, n, sizeof *entries, entry_order);
    for (size_t i = 0; i < n; i++) {
        const struct entry *entry = &entries[i];
        if (i && entry_order(entry, entry - 1) == 0)
            continue;
        if (!i || place_order(entry->name, entry->line, entry[-1].name, entry[-1].line) != 0)
            *vec_push(groups) = (struct line_group){
                .name = entry->name, .line = entry->line, .first = (uint32_t)groups->blocks.n};
        groups->at[groups->n - 1].n++;
        *vec_push(&groups->blocks) = entry->block;
    }
    mem_free(entries);
}

void line_groups_release(struct line_groups *groups)
{
    vec_release(&groups->blocks);
    vec_release(groups);
}

uint32_t line_groups_find(const struct line_groups *groups, const char *file, uint32_t line)
{
    const char *name = file_last_part(file);
    size_t low = 0, high = groups->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct line_group *group = &groups->at[middle];
        int order = place_order(group->name, group->line, name, line);
        if (!order)
            return (uint32_t)middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return GROUP_NONE;
}

bool line_groups_have(const struct line_groups *groups, const struct notes_function *other)
{
    const char *name = file_last_part(other->source);
    size_t low = 0, high = groups->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (groups->at[middle].line < other->line)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < groups->n && groups->at[low].line <= other->end_line; low++)
        if (strcmp(groups->at[low].name, name) == 0)
            return true;
    return false;
}
