#include "keep/kept_function.h"

#include "base/err.h"
#include "keep/fields.h"

enum { FLAG_CODE = 1, FLAG_LINES = 2, FLAGS = 3 };

void kept_function_clear(struct kept_function *function)
{
    function->ranges.n = function->arrivals.n = function->files.n = function->names.n = 0;
    function->lines.n = function->nodes.n = function->spans.n = 0;
    function->has_code = function->has_lines = false;
}

void kept_function_release(struct kept_function *function)
{
    vec_release(&function->ranges);
    vec_release(&function->arrivals);
    vec_release(&function->files);
    vec_release(&function->names);
    vec_release(&function->lines);
    vec_release(&function->nodes);
    vec_release(&function->spans);
}

/* ---- writing */

static void put_texts(struct bytes *to, const struct kept_texts *texts)
{
    field_put(to, texts->n);
    for (size_t i = 0; i < texts->n; i++)
        field_put_text(to, texts->at[i]);
}

static void put_lines(struct bytes *to, const struct kept_function *function)
{
    uint64_t start = function->start, line = 0, column = 0;
    put_texts(to, &function->files);
    field_put(to, function->lines.n);
    for (size_t i = 0; i < function->lines.n; i++) {
        const struct kept_line *row = &function->lines.at[i];
        field_put_from(to, row->start, &start);
        field_put(to, row->file);
        field_put_from(to, row->line, &line);
        field_put_from(to, row->column, &column);
        field_put(to, row->discriminator);
    }
}

static void put_inlines(struct bytes *to, const struct kept_function *function)
{
    uint64_t start = function->start;
    put_texts(to, &function->names);
    field_put(to, function->nodes.n);
    for (size_t i = 0; i < function->nodes.n; i++) {
        const struct kept_node *node = &function->nodes.at[i];
        field_put(to, node->parent);
        field_put(to, node->name);
        field_put(to, node->decl_line);
        field_put(to, node->call_file);
        field_put(to, node->call_line);
        field_put(to, node->call_column);
        field_put(to, node->discriminator);
    }
    field_put(to, function->spans.n);
    for (size_t i = 0; i < function->spans.n; i++) {
        field_put_from(to, function->spans.at[i].start, &start);
        field_put(to, function->spans.at[i].node);
    }
}

struct kept_code kept_function_encode(const struct kept_function *function, struct bytes *to)
{
    uint64_t at = function->start;
    to->n = 0;
    field_put(to, (function->has_code ? FLAG_CODE : 0u) | (function->has_lines ? FLAG_LINES : 0u));
    field_put(to, function->source);
    field_put_text(to, function->name);
    field_put(to, function->ranges.n);
    for (size_t i = 0; i < function->ranges.n; i++) {
        field_put_from(to, function->ranges.at[i].start, &at);
        field_put(to, function->ranges.at[i].bytes);
    }
    at = function->start;
    field_put(to, function->arrivals.n);
    for (size_t i = 0; i < function->arrivals.n; i++)
        field_put_from(to, function->arrivals.at[i], &at);
    struct kept_code code = {.at = to->n};
    for (size_t i = 0; function->has_code && i < function->ranges.n; i++)
        bytes_add(to, function->ranges.at[i].code, function->ranges.at[i].bytes);
    code.n = to->n - code.at;
    if (function->has_lines) {
        put_lines(to, function);
        put_inlines(to, function);
    }
    return code;
}

/* ---- reading */

static void get_texts(struct cursor *cursor, struct arena *arena, struct kept_texts *texts)
{
    size_t n = field_get_count(cursor, 1);
    for (size_t i = 0; i < n; i++)
        *vec_push(texts) = field_get_text(cursor, arena);
}

static void get_ranges(struct cursor *cursor, struct kept_function *function)
{
    uint64_t at = function->start;
    size_t n = field_get_count(cursor, 2);
    for (size_t i = 0; i < n; i++) {
        struct kept_range *range = vec_push(&function->ranges);
        range->start = field_get_from(cursor, &at);
        range->bytes = field_get(cursor);
        cursor->bad |= range->start + range->bytes < range->start;
    }
    cursor->bad |= !n || function->ranges.at[0].start != function->start;
    at = function->start;
    n = field_get_count(cursor, 1);
    for (size_t i = 0; i < n; i++)
        *vec_push(&function->arrivals) = field_get_from(cursor, &at);
}

static void get_code(struct cursor *cursor, struct kept_function *function)
{
    for (size_t i = 0; i < function->ranges.n; i++) {
        function->ranges.at[i].code = cursor->at;
        cursor_skip(cursor, function->ranges.at[i].bytes);
    }
}

static uint32_t get_index(struct cursor *cursor, size_t n)
{
    uint32_t index = field_get_short(cursor);
    cursor->bad |= index > n;
    return index;
}

static void get_lines(struct cursor *cursor, struct arena *arena, struct kept_function *function)
{
    uint64_t start = function->start, line = 0, column = 0;
    get_texts(cursor, arena, &function->files);
    size_t n = field_get_count(cursor, 5);
    for (size_t i = 0; i < n; i++) {
        struct kept_line *row = vec_push(&function->lines);
        row->start = field_get_from(cursor, &start);
        row->file = get_index(cursor, function->files.n);
        row->line = (uint32_t)field_get_from(cursor, &line);
        row->column = (uint32_t)field_get_from(cursor, &column);
        row->discriminator = field_get_short(cursor);
    }
}

static void get_inlines(struct cursor *cursor, struct arena *arena, struct kept_function *function)
{
    uint64_t start = function->start;
    get_texts(cursor, arena, &function->names);
    size_t n = field_get_count(cursor, 7);
    for (size_t i = 0; i < n; i++) {
        struct kept_node node = {.parent = get_index(cursor, i)};
        node.name = get_index(cursor, function->names.n);
        node.decl_line = field_get_short(cursor);
        node.call_file = get_index(cursor, function->files.n);
        node.call_line = field_get_short(cursor);
        node.call_column = field_get_short(cursor);
        node.discriminator = field_get_short(cursor);
        *vec_push(&function->nodes) = node;
    }
    n = field_get_count(cursor, 2);
    for (size_t i = 0; i < n; i++) {
        struct kept_span *segment = vec_push(&function->spans);
        segment->start = field_get_from(cursor, &start);
        segment->node = get_index(cursor, function->nodes.n);
    }
}

bool kept_function_lined(const uint8_t *bytes, size_t n)
{
    struct cursor cursor = {.at = bytes, .end = bytes + n};
    return field_get(&cursor) & FLAG_LINES;
}

bool kept_function_decode(struct kept_function *function, struct arena *arena, uint64_t start,
                          const uint8_t *bytes, size_t n, struct err *err)
{
    struct cursor cursor = {.at = bytes, .end = bytes + n};
    kept_function_clear(function);
    function->start = start;
    uint64_t flags = field_get(&cursor);
    function->has_code = flags & FLAG_CODE;
    function->has_lines = flags & FLAG_LINES;
    function->source = field_get_short(&cursor);
    function->name = field_get_text(&cursor, arena);
    get_ranges(&cursor, function);
    if (function->has_code)
        get_code(&cursor, function);
    if (function->has_lines) {
        get_lines(&cursor, arena, function);
        get_inlines(&cursor, arena, function);
    }
    if (cursor.bad || cursor.at != cursor.end || flags & ~(uint64_t)FLAGS || function->source > 3)
        return err_set(err, ERR_FORMAT, "the function kept at 0x%llx makes no sense",
                       (unsigned long long)start);
    return true;
}
