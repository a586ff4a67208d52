#include "gcov/counts.h"

#include "base/err.h"

#include <string.h>

/* ---- reading */

enum { KIND_STEP = 0x20000 };

/* All zero, and so stored as a number only: as many as no function has would be a trap. */
enum { ZEROS_MAX = 1 << 22 };

static bool row_read(struct counts_row *row, struct gcov_record *record, struct err *err)
{
    uint64_t n = record->bytes / 8;
    if (record->bytes % 8 || (record->zeros && n > ZEROS_MAX))
        return err_set(err, ERR_FORMAT, "counters 0x%08x: %llu bytes of them",
                       (unsigned)record->tag, (unsigned long long)record->bytes);
    if (row->there)
        return err_set(err, ERR_FORMAT, "counters 0x%08x come twice", (unsigned)record->tag);
    row->there = true;
    vec_reserve(row, n);
    for (uint64_t i = 0; i < n; i++)
        *vec_push(row) = record->zeros ? 0 : cursor_u64(&record->cursor);
    return true;
}

static bool record_read(struct counts *counts, struct gcov_record *record, struct err *err)
{
    struct counts_functions *functions = &counts->functions;
    struct cursor *cursor = &record->cursor;
    if (record->tag == GCOV_SUMMARY) {
        counts->runs = cursor_u32(cursor);
        counts->sum_max = cursor_u32(cursor);
        return !cursor->bad || err_set(err, ERR_FORMAT, "a summary that is too short");
    }
    if (record->tag == GCOV_FUNCTION) {
        struct counts_function *function = vec_push(functions);
        function->empty = !record->bytes;
        if (function->empty)
            return true;
        function->ident = cursor_u32(cursor);
        function->lineno_checksum = cursor_u32(cursor);
        function->cfg_checksum = cursor_u32(cursor);
        return !cursor->bad || err_set(err, ERR_FORMAT, "a function that is too short");
    }
    uint32_t kind = (record->tag - GCOV_COUNTERS) / KIND_STEP;
    if (record->tag < GCOV_COUNTERS || (record->tag - GCOV_COUNTERS) % KIND_STEP ||
        kind >= COUNTS_KINDS)
        return true; /* of a later compiler */
    if (!functions->n)
        return err_set(err, ERR_FORMAT, "counters that belong to no function");
    return row_read(&functions->at[functions->n - 1].rows[kind], record, err);
}

bool counts_parse(struct counts *counts, const uint8_t *bytes, size_t n, struct err *err)
{
    struct cursor cursor = {.at = bytes, .end = bytes + n};
    struct counts result = {0};
    struct gcov_record record;
    if (!gcov_head_read(&cursor, GCOV_MAGIC_COUNTS, &result.head, err))
        return false;
    while (gcov_record_next(&cursor, &result.head, bytes, &record, err))
        if (!record_read(&result, &record, err)) {
            err_in(err, "record that ends at byte %zu", (size_t)(cursor.at - bytes));
            break;
        }
    if (err->kind != ERR_NONE) {
        counts_release(&result);
        return false;
    }
    *counts = result;
    return true;
}

bool counts_read(struct counts *counts, const char *path, struct err *err)
{
    size_t n;
    uint8_t *bytes = gcov_file_read(path, &n, err);
    if (!bytes)
        return false;
    bool ok = counts_parse(counts, bytes, n, err) || err_in(err, "%s", path);
    mem_free(bytes);
    return ok;
}

void counts_release(struct counts *counts)
{
    for (size_t i = 0; i < counts->functions.n; i++)
        for (size_t k = 0; k < COUNTS_KINDS; k++)
            vec_release(&counts->functions.at[i].rows[k]);
    vec_release(&counts->functions);
    *counts = (struct counts){0};
}

const struct counts_function *counts_find(const struct counts *counts, uint32_t ident)
{
    for (size_t i = 0; i < counts->functions.n; i++)
        if (counts->functions.at[i].ident == ident && !counts->functions.at[i].empty)
            return &counts->functions.at[i];
    return NULL;
}

/* ---- writing */

static void word_add(struct counts_bytes *bytes, uint32_t word)
{
    vec_reserve(bytes, bytes->n + sizeof word);
    memcpy(bytes->at + bytes->n, &word, sizeof word);
    bytes->n += sizeof word;
}

static void tag_add(struct counts_bytes *bytes, const struct gcov_head *head, uint32_t tag,
                    size_t length)
{
    word_add(bytes, tag);
    word_add(bytes, (uint32_t)(length / head->unit));
}

static void row_add(struct counts_bytes *bytes, const struct gcov_head *head, uint32_t kind,
                    const struct counts_row *row)
{
    bool zeros = row->n > 0;
    for (size_t i = 0; i < row->n && zeros; i++)
        zeros = !row->at[i];
    uint32_t tag = GCOV_COUNTERS + kind * KIND_STEP;
    if (zeros) {
        word_add(bytes, tag);
        word_add(bytes, (uint32_t) - (int32_t)(row->n * 8 / head->unit));
        return;
    }
    tag_add(bytes, head, tag, row->n * 8);
    for (size_t i = 0; i < row->n; i++) {
        word_add(bytes, (uint32_t)row->at[i]);
        word_add(bytes, (uint32_t)(row->at[i] >> 32));
    }
}

void counts_encode(const struct counts *counts, struct counts_bytes *bytes)
{
    const struct gcov_head *head = &counts->head;
    word_add(bytes, GCOV_MAGIC_COUNTS);
    word_add(bytes, head->version);
    word_add(bytes, head->stamp);
    if (head->has_checksum)
        word_add(bytes, head->checksum);
    tag_add(bytes, head, GCOV_SUMMARY, 8);
    word_add(bytes, counts->runs);
    word_add(bytes, counts->sum_max);
    for (size_t i = 0; i < counts->functions.n; i++) {
        const struct counts_function *function = &counts->functions.at[i];
        tag_add(bytes, head, GCOV_FUNCTION, function->empty ? 0 : 12);
        if (function->empty)
            continue;
        word_add(bytes, function->ident);
        word_add(bytes, function->lineno_checksum);
        word_add(bytes, function->cfg_checksum);
        for (uint32_t kind = 0; kind < COUNTS_KINDS; kind++)
            if (function->rows[kind].there)
                row_add(bytes, head, kind, &function->rows[kind]);
    }
    word_add(bytes, 0);
}
