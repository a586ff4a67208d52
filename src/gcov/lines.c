#include "gcov/lines.h"

#include "gcov/discriminators.h"

#include <stdlib.h>
#include <string.h>

const char *file_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

struct entry {
    const char *name;
    uint32_t line, column, block;
    uint8_t what;
};

struct entries {
    VEC(struct entry);
};

/* The order of groups. */
static int group_order(const struct entry *x, const struct entry *y)
{
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    int order = x->name == y->name ? 0 : strcmp(x->name, y->name);
    if (order)
        return order;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return (x->what > y->what) - (x->what < y->what);
}

static int entry_order(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = group_order(x, y);
    return order ? order : x->block < y->block ? -1 : x->block > y->block;
}

static bool same_line(const struct entry *x, const struct entry *y)
{
    return x->line == y->line && (x->name == y->name || strcmp(x->name, y->name) == 0);
}

/* Places of lines that only one block has, whole, tell no more than the line. */
static void places_drop(struct entries *entries, const struct notes_function *function)
{
    uint32_t *whole = blocks_uncut(function);
    size_t kept = 0;
    for (size_t i = 0, end; i < entries->n; i = end) {
        const struct entry line = entries->at[i];
        bool several = false;
        for (end = i; end < entries->n && same_line(&line, &entries->at[end]); end++)
            several |= entries->at[end].what == GROUP_LINE &&
                       whole[entries->at[end].block] != whole[line.block];
        for (size_t k = i; k < end; k++)
            if (several || entries->at[k].what == GROUP_LINE)
                entries->at[kept++] = entries->at[k];
    }
    entries->n = kept;
    mem_free(whole);
}

static void entries_gather(struct entries *entries, const struct notes_function *function,
                           const struct block_places *places)
{
    static const uint8_t whats[] = {[DUMPED_CODE] = GROUP_CODE,
                                    [DUMPED_BEGINS] = GROUP_BEGINS,
                                    [DUMPED_BRANCH] = GROUP_BRANCH,
                                    [DUMPED_CALL] = GROUP_CALL};
    for (size_t i = 0; i < function->lines.n; i++) {
        const struct notes_line *line = &function->lines.at[i];
        *vec_push(entries) =
            (struct entry){file_last_part(line->file), line->line, 0, line->block, GROUP_LINE};
    }
    for (size_t i = 0; places && i < places->n; i++) {
        const struct block_place *place = &places->at[i];
        *vec_push(entries) = (struct entry){place->file, place->line, place->column, place->block,
                                            whats[place->what]};
    }
    if (entries->n)
        qsort(entries->at, entries->n, sizeof *entries->at, entry_order);
    places_drop(entries, function);
}

void line_groups_make(struct line_groups *groups, const struct notes_function *function,
                      const struct block_places *places)
{
    struct entries entries = {0};
    uint32_t whole = GROUP_NONE;
    *groups = (struct line_groups){0};
    entries_gather(&entries, function, places);
    for (size_t i = 0; i < entries.n; i++) {
        const struct entry *entry = &entries.at[i];
        if (i && entry_order(entry, entry - 1) == 0)
            continue;
        if (!i || !same_line(entry, entry - 1))
            whole = (uint32_t)groups->n;
        if (!i || group_order(entry, entry - 1) != 0)
            *vec_push(groups) = (struct line_group){.name = entry->name,
                                                    .line = entry->line,
                                                    .column = entry->column,
                                                    .what = entry->what,
                                                    .whole = whole,
                                                    .first = (uint32_t)groups->blocks.n};
        groups->at[groups->n - 1].n++;
        *vec_push(&groups->blocks) = entry->block;
    }
    vec_release(&entries);
}

void line_groups_release(struct line_groups *groups)
{
    vec_release(&groups->blocks);
    vec_release(groups);
}

static uint32_t group_find(const struct line_groups *groups, const struct entry *wanted)
{
    size_t low = 0, high = groups->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct line_group *group = &groups->at[middle];
        struct entry at = {group->name, group->line, group->column, 0, group->what};
        int order = group_order(&at, wanted);
        if (!order)
            return (uint32_t)middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return GROUP_NONE;
}

uint32_t line_groups_find(const struct line_groups *groups, const char *file, uint32_t line)
{
    struct entry wanted = {file_last_part(file), line, 0, 0, GROUP_LINE};
    return group_find(groups, &wanted);
}

uint32_t line_groups_place(const struct line_groups *groups, const char *file, uint32_t line,
                           uint32_t column, enum group_what what)
{
    struct entry wanted = {file_last_part(file), line, column, 0, (uint8_t)what};
    uint32_t found = group_find(groups, &wanted);
    wanted.what = GROUP_CODE;
    if (found == GROUP_NONE && what != GROUP_CODE)
        found = group_find(groups, &wanted);
    return found == GROUP_NONE ? line_groups_find(groups, file, line) : found;
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
