#include "program/lines.h"

#include "base/parallel.h"
#include "program/debug_info.h"
#include "program/image.h"

#include <string.h>

/* ---- which tables there are */

struct job {
    uint64_t offset;
    const struct dwarf_unit *unit; /* the first with a folder, of those that have the table */
};
struct jobs {
    VEC(struct job);
};

struct reading {
    struct lines *lines;
    const struct debug_info *info;
    struct jobs jobs;
    struct line_rows scratch[PARALLEL_MAX];
};

static void jobs_collect(struct reading *reading)
{
    const struct dwarf_units *units = &reading->info->main.units;
    for (size_t i = 0; i < units->n; i++) {
        const struct dwarf_unit *unit = &units->at[i];
        if (unit->stmt_list == OFFSET_NONE)
            continue;
        uint32_t table = map_add(&reading->lines->by_offset, &unit->stmt_list);
        if (table == reading->jobs.n)
            *vec_push(&reading->jobs) = (struct job){unit->stmt_list, unit};
        else if (!reading->jobs.at[table].unit->comp_dir)
            reading->jobs.at[table].unit = unit;
    }
}

static void job_run(void *context, size_t i, unsigned worker)
{
    struct reading *reading = context;
    const struct job *job = &reading->jobs.at[i];
    line_table_read(&reading->lines->tables.at[i], &reading->info->main.sections, job->offset,
                    job->unit, reading->info->image, &reading->scratch[worker]);
}

/* Tables do not overlap in honest files. Those of one that is not would make us read it again and
 * again: only the first are kept. */
static void jobs_limit(struct reading *reading)
{
    const struct dwarf_section *section = &reading->info->main.sections.at[DWARF_LINE];
    uint64_t bytes = 0;
    for (size_t i = 0; i < reading->jobs.n; i++) {
        struct cursor cursor =
            dwarf_cursor(&reading->info->main.sections, DWARF_LINE, reading->jobs.at[i].offset);
        uint64_t length = cursor_u32(&cursor);
        bytes += 4 + (length == UINT32_MAX ? cursor_u64(&cursor) : length);
        if (bytes > section->n + 4 || bytes < length) {
            damage_note(&reading->lines->damage, ".debug_line", reading->jobs.at[i].offset,
                        "line tables overlap");
            reading->jobs.n = i;
        }
    }
}

/* ---- names of files */

/* Folders that are not absolute are relative to the one the compiler ran in. */
static const char *path_make(struct arena *arena, const struct line_file *file,
                             const char *comp_dir)
{
    const char *parts[3] = {NULL, file->folder, file->name};
    char path[4096];
    size_t used = 0;
    if (!file->name)
        return NULL;
    if (file->name[0] == '/')
        return arena_string(arena, file->name);
    if (file->in_comp_dir)
        parts[0] = comp_dir;
    for (int i = 0; i < 3; i++) {
        size_t bytes = parts[i] ? strlen(parts[i]) : 0;
        if (!bytes)
            continue;
        if (used + bytes + 2 > sizeof path)
            return arena_string(arena, file->name);
        if (used && path[used - 1] != '/')
            path[used++] = '/';
        memcpy(path + used, parts[i], bytes);
        used += bytes;
    }
    return arena_string_n(arena, path, used);
}

struct interned {
    struct map by_hash;
    struct names {
        VEC(const char *);
    } names;
};

/* Units name the same headers again and again: one pointer for one name. */
static const char *path_intern(struct interned *interned, const char *path)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (const char *at = path; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001B3u;
    uint32_t i;
    while ((i = map_add(&interned->by_hash, &hash)) < interned->names.n &&
           strcmp(interned->names.at[i], path) != 0)
        hash++;
    if (i == interned->names.n)
        *vec_push(&interned->names) = path;
    return interned->names.at[i];
}

static void paths_make(struct reading *reading)
{
    struct lines *lines = reading->lines;
    struct interned interned = {0};
    map_init(&interned.by_hash, sizeof(uint64_t));
    for (size_t i = 0; i < lines->tables.n; i++) {
        const struct line_table *table = &lines->tables.at[i];
        const char **paths =
            arena_alloc(&lines->arena, (table->files.n ? table->files.n : 1) * sizeof *paths);
        for (size_t f = 0; f < table->files.n; f++) {
            const char *path =
                path_make(&lines->arena, &table->files.at[f], reading->jobs.at[i].unit->comp_dir);
            paths[f] = path ? path_intern(&interned, path) : NULL;
        }
        *vec_push(&lines->paths) = paths;
    }
    map_release(&interned.by_hash);
    vec_release(&interned.names);
}

/* ---- one order of all sequences */

static void runs_make(struct lines *lines)
{
    struct stretches claims = {0};
    for (size_t i = lines->tables.n; i-- > 0;) {
        const struct line_table *table = &lines->tables.at[i];
        for (size_t k = table->sequences.n; k-- > 0;) {
            const struct line_sequence *sequence = &table->sequences.at[k];
            *vec_push(&claims) =
                (struct stretch){sequence->start, sequence->end, (uint32_t)lines->runs.n};
            *vec_push(&lines->runs) =
                (struct line_run){table->rows + sequence->first_row, sequence->n_rows, (uint32_t)i};
        }
    }
    stretches_paint(&claims, &lines->stretches);
    vec_release(&claims);
}

void lines_read(struct lines *lines, const struct debug_info *info)
{
    *lines = (struct lines){0};
    map_init(&lines->by_offset, sizeof(uint64_t));
    struct reading reading = {.lines = lines, .info = info};
    jobs_collect(&reading);
    jobs_limit(&reading);
    vec_reserve(&lines->tables, reading.jobs.n);
    lines->tables.n = reading.jobs.n;
    parallel_for(reading.jobs.n, job_run, &reading);
    for (unsigned i = 0; i < PARALLEL_MAX; i++)
        vec_release(&reading.scratch[i]);
    for (size_t i = 0; i < lines->tables.n; i++)
        damage_add(&lines->damage, &lines->tables.at[i].damage);
    paths_make(&reading);
    runs_make(lines);
    vec_release(&reading.jobs);
}

void lines_release(struct lines *lines)
{
    for (size_t i = 0; i < lines->tables.n; i++)
        line_table_release(&lines->tables.at[i]);
    vec_release(&lines->tables);
    vec_release(&lines->paths);
    vec_release(&lines->runs);
    vec_release(&lines->stretches);
    map_release(&lines->by_offset);
    arena_release(&lines->arena);
}

/* ---- questions */

uint32_t lines_table(const struct lines *lines, uint64_t stmt_list)
{
    uint32_t table = map_find(&lines->by_offset, &stmt_list);
    return table < lines->tables.n ? table : LINE_TABLE_NONE;
}

const char *lines_file(const struct lines *lines, uint32_t table, uint64_t file)
{
    return table < lines->tables.n && file < lines->tables.at[table].files.n
               ? lines->paths.at[table][file]
               : NULL;
}

bool lines_at(const struct lines *lines, struct svma at, struct line_place *ret_place)
{
    const struct stretch *stretch = stretches_find(lines->stretches.at, lines->stretches.n, at.v);
    if (!stretch)
        return false;
    const struct line_run *run = &lines->runs.at[stretch->value];
    size_t low = 0, high = run->n_rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (run->rows[middle].start <= at.v)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return false;
    const struct line_row *row = &run->rows[low - 1];
    *ret_place = (struct line_place){lines_file(lines, run->table, row->file), row->line,
                                     row->column, row->discriminator};
    return true;
}

bool lines_find(const struct lines *lines, struct svma at, const char **ret_file,
                uint32_t *ret_line)
{
    struct line_place place;
    if (!lines_at(lines, at, &place) || !place.file)
        return false;
    *ret_file = place.file;
    *ret_line = place.line;
    return true;
}
