#include "program/dwarf/lines.h"

#include "base/parallel.h"
#include "program/dwarf/debug_info.h"
#include "program/elf/image.h"

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
    struct name_budget names;
    enum line_choice choice;
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
                    job->unit, reading->info->image, reading->choice, &reading->names,
                    &reading->scratch[worker]);
}

/* Compilers write a few dozen bytes of names for each entry of a few bytes. */
static uint64_t names_limit(const struct debug_info *info)
{
    const struct dwarf_section *sections = info->main.sections.at;
    return (1 << 20) +
           64 * (sections[DWARF_LINE].n + sections[DWARF_LINE_STR].n + sections[DWARF_STR].n);
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

enum { PATH_BYTES = 4096 };

/* Folders that are not absolute are relative to the one the compiler ran in. Returns the length; 0:
 * there is no name, or it is longer than any path. */
static size_t path_make(char path[PATH_BYTES], const struct line_file *file, const char *comp_dir)
{
    const char *parts[3] = {NULL, file->folder, file->name};
    size_t used = 0;
    if (!file->name)
        return 0;
    if (file->name[0] == '/')
        parts[1] = NULL;
    else if (file->in_comp_dir)
        parts[0] = comp_dir;
    for (int i = 0; i < 3; i++) {
        size_t bytes = parts[i] ? strlen(parts[i]) : 0;
        if (!bytes)
            continue;
        if (used + bytes + 2 > PATH_BYTES)
            return 0;
        if (used && path[used - 1] != '/')
            path[used++] = '/';
        memcpy(path + used, parts[i], bytes);
        used += bytes;
    }
    path[used] = 0;
    return used;
}

struct interned {
    struct map by_hash;
    struct names {
        VEC(const char *);
    } names;
};

/* Units name the same headers again and again: one pointer for one name. */
static const char *path_intern(struct interned *interned, struct arena *arena, const char *path)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (const char *at = path; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001B3u;
    uint32_t i;
    while ((i = map_add(&interned->by_hash, &hash)) < interned->names.n &&
           strcmp(interned->names.at[i], path) != 0)
        hash++;
    if (i == interned->names.n)
        *vec_push(&interned->names) = arena_string(arena, path);
    return interned->names.at[i];
}

static void paths_make(struct reading *reading)
{
    struct lines *lines = reading->lines;
    struct interned interned = {0};
    uint64_t left = names_limit(reading->info);
    char path[PATH_BYTES];
    map_init(&interned.by_hash, sizeof(uint64_t));
    for (size_t i = 0; i < lines->tables.n; i++) {
        const struct line_table *table = &lines->tables.at[i];
        const char **paths =
            arena_alloc(&lines->arena, (table->files.n ? table->files.n : 1) * sizeof *paths);
        for (size_t f = 0; f < table->files.n; f++) {
            size_t bytes = path_make(path, &table->files.at[f], reading->jobs.at[i].unit->comp_dir);
            paths[f] = bytes && bytes <= left ? path_intern(&interned, &lines->arena, path) : NULL;
            left -= bytes < left ? bytes : left;
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

static void tables_read(struct lines *lines, const struct debug_info *info, enum line_choice choice)
{
    *lines = (struct lines){0};
    map_init(&lines->by_offset, sizeof(uint64_t));
    struct reading reading = {.lines = lines, .info = info, .choice = choice};
    jobs_collect(&reading);
    jobs_limit(&reading);
    atomic_init(&reading.names.left, names_limit(info));
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

void lines_read(struct lines *lines, const struct debug_info *info)
{
    tables_read(lines, info, LINE_ROWS);
}

void lines_read_statements(struct lines *lines, const struct debug_info *info)
{
    tables_read(lines, info, LINE_STATEMENTS);
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
    struct svma end;
    return lines_up_to(lines, at, ret_place, &end);
}

bool lines_up_to(const struct lines *lines, struct svma at, struct line_place *ret_place,
                 struct svma *ret_end)
{
    const struct stretch *stretch = stretches_find(lines->stretches.at, lines->stretches.n, at.v);
    ret_end->v =
        stretch ? stretch->end : stretches_next(lines->stretches.at, lines->stretches.n, at.v);
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
    if (low < run->n_rows && run->rows[low].start < ret_end->v)
        ret_end->v = run->rows[low].start;
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
