#include "gcov/notes.h"

#include "base/err.h"
#include "base/intern.h"

#include <string.h>

struct reading {
    struct notes *notes;
    struct intern files;
    const char *file; /* of lines; stays from one record to the next */
    const uint8_t *start;
    struct gcov_record record;
    struct err *err;
};

static bool bad(struct reading *reading, const char *why)
{
    return err_set(reading->err, ERR_FORMAT, "record 0x%08x that ends at byte %zu: %s",
                   (unsigned)reading->record.tag,
                   (size_t)(reading->record.cursor.end - reading->start), why);
}

static bool function_read(struct reading *reading)
{
    struct notes *notes = reading->notes;
    struct cursor *cursor = &reading->record.cursor;
    struct notes_function function = {.ident = cursor_u32(cursor),
                                      .lineno_checksum = cursor_u32(cursor),
                                      .cfg_checksum = cursor_u32(cursor)};
    const char *name = gcov_string(cursor, &notes->head);
    function.artificial = cursor_u32(cursor);
    const char *source = gcov_string(cursor, &notes->head);
    function.line = cursor_u32(cursor);
    function.column = cursor_u32(cursor);
    function.end_line = cursor_u32(cursor);
    function.end_column = cursor_u32(cursor);
    if (cursor->bad || !name)
        return bad(reading, "not a function's");
    function.name = arena_string(&notes->arena, name);
    function.source = arena_string(&notes->arena, source ? source : "");
    reading->file = function.source;
    *vec_push(&notes->functions) = function;
    return true;
}

static bool blocks_read(struct reading *reading, struct notes_function *function)
{
    struct cursor *cursor = &reading->record.cursor;
    uint32_t n = cursor_u32(cursor);
    if (cursor->bad || function->n_blocks || n < 2 || n > INT32_MAX)
        return bad(reading, "not a number of blocks");
    function->n_blocks = n;
    return true;
}

static bool arcs_read(struct reading *reading, struct notes_function *function)
{
    struct cursor *cursor = &reading->record.cursor;
    uint32_t from = cursor_u32(cursor);
    if (cursor->bad || from >= function->n_blocks)
        return bad(reading, "arcs of a block that there is not");
    while (cursor_room(cursor)) {
        struct notes_arc arc = {.from = from, .to = cursor_u32(cursor)};
        arc.flags = cursor_u32(cursor);
        if (cursor->bad || arc.to >= function->n_blocks || arc.to == NOTES_ENTRY)
            return bad(reading, "an arc to a block that there is not");
        *vec_push(&function->arcs) = arc;
        function->n_counters += !(arc.flags & ARC_ON_TREE);
    }
    return true;
}

static bool lines_read(struct reading *reading, struct notes_function *function)
{
    struct cursor *cursor = &reading->record.cursor;
    uint32_t block = cursor_u32(cursor);
    if (cursor->bad || block >= function->n_blocks)
        return bad(reading, "lines of a block that there is not");
    while (!cursor->bad) {
        uint32_t line = cursor_u32(cursor);
        if (line) {
            *vec_push(&function->lines) =
                (struct notes_line){.block = block, .line = line, .file = reading->file};
            continue;
        }
        const char *file = gcov_string(cursor, &reading->notes->head);
        if (!file)
            break;
        reading->file = intern_text(&reading->files, file);
    }
    return !cursor->bad || bad(reading, "lines without an end");
}

static bool record_read(struct reading *reading)
{
    struct notes_functions *functions = &reading->notes->functions;
    struct notes_function *last = functions->n ? &functions->at[functions->n - 1] : NULL;
    switch (reading->record.tag) {
    case GCOV_FUNCTION: return function_read(reading);
    case GCOV_BLOCKS:
    case GCOV_ARCS:
    case GCOV_LINES: break;
    default: return true; /* of a later compiler */
    }
    if (!last)
        return bad(reading, "belongs to no function");
    return reading->record.tag == GCOV_BLOCKS ? blocks_read(reading, last)
           : reading->record.tag == GCOV_ARCS ? arcs_read(reading, last)
                                              : lines_read(reading, last);
}

/* Texts of lines are interned apart while reading, then given to the arena of the notes. */
static void files_keep(struct reading *reading)
{
    struct notes *notes = reading->notes;
    const struct intern_texts *texts = &reading->files.texts;
    const char **kept = arena_alloc(&notes->arena, (texts->n + 1) * sizeof *kept);
    for (size_t i = 0; i < texts->n; i++)
        kept[i] = arena_string(&notes->arena, texts->at[i]);
    for (size_t f = 0; f < notes->functions.n; f++) {
        struct notes_lines *lines = &notes->functions.at[f].lines;
        for (size_t i = 0; i < lines->n; i++)
            if (lines->at[i].file != notes->functions.at[f].source)
                lines->at[i].file = kept[intern_number(&reading->files, lines->at[i].file)];
    }
}

/* Every block but the exit has an arc, so what a file claims to have is no more than it shows. */
static bool functions_check(const struct notes *notes, struct err *err)
{
    for (size_t i = 0; i < notes->functions.n; i++) {
        const struct notes_function *function = &notes->functions.at[i];
        if (function->n_blocks > function->arcs.n + 2)
            return err_set(err, ERR_FORMAT, "%s: %u blocks, but only %zu arcs between them",
                           function->name, (unsigned)function->n_blocks, function->arcs.n);
    }
    return true;
}

bool notes_parse(struct notes *notes, const uint8_t *bytes, size_t n, struct err *err)
{
    struct cursor cursor = {.at = bytes, .end = bytes + n};
    struct notes result = {0};
    if (!gcov_head_read(&cursor, GCOV_MAGIC_NOTES, &result.head, err))
        return false;
    const char *folder = gcov_string(&cursor, &result.head);
    result.folder = arena_string(&result.arena, folder ? folder : "");
    cursor_u32(&cursor); /* whether blocks that never run are told apart */
    struct reading reading = {.notes = &result, .start = bytes, .err = err};
    intern_init(&reading.files);
    err->kind = ERR_NONE;
    if (cursor.bad)
        err_set(err, ERR_FORMAT, "ends inside of its header");
    while (err->kind == ERR_NONE &&
           gcov_record_next(&cursor, &result.head, bytes, &reading.record, err))
        if (!record_read(&reading))
            break;
    if (err->kind == ERR_NONE)
        functions_check(&result, err);
    files_keep(&reading);
    intern_release(&reading.files);
    if (err->kind != ERR_NONE) {
        notes_release(&result);
        return false;
    }
    *notes = result;
    return true;
}

bool notes_read(struct notes *notes, const char *path, struct err *err)
{
    size_t n;
    uint8_t *bytes = gcov_file_read(path, &n, err);
    if (!bytes)
        return false;
    bool ok = notes_parse(notes, bytes, n, err) || err_in(err, "%s", path);
    mem_free(bytes);
    return ok;
}

void notes_release(struct notes *notes)
{
    for (size_t i = 0; i < notes->functions.n; i++) {
        vec_release(&notes->functions.at[i].arcs);
        vec_release(&notes->functions.at[i].lines);
    }
    vec_release(&notes->functions);
    arena_release(&notes->arena);
    *notes = (struct notes){0};
}
