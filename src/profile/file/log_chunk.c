#include "profile/file/log_chunk.h"

#include "base/err.h"
#include "profile/file/order.h"
#include "wire/varint.h"

#include <stdlib.h>

/* ---- writing */

static void moment_put(struct encoder *encoder, const struct logged_batch *batch)
{
    encode_number(encoder, batch->span.begin_ns);
    encode_number(encoder, batch->span.end_ns - batch->span.begin_ns);
    encode_number(encoder, batch->x_time);
    encode_number(encoder, batch->x_count);
    encode_chunk(encoder, CHUNK_MOMENTS, CHUNK_VERSION);
}

void encode_moment(struct encoder *encoder, const struct batch *batch)
{
    moment_put(encoder, &(struct logged_batch){.span = batch->span,
                                               .x_time = batch->x_time,
                                               .x_count = batch->x_count});
}

/* Keys in file order, and which of them were written. */
struct log_keys {
    uint32_t *rank[TABLES];    /* of each key of the profile */
    uint32_t *numbers[TABLES]; /* plus 1; 0: not written */
    uint32_t written[TABLES];
};

static void keys_rank(struct log_keys *keys, struct encoder *encoder, const struct profile *profile,
                      const struct numbering *in_file)
{
    for (int t = 0; t < TABLES; t++) {
        const struct table *table = &profile->tables[t];
        struct row_order *order = &encoder->order;
        enum chunk_type type = row_chunk((enum profile_table)t);
        keys->rank[t] = mem_alloc((table->n + 1) * sizeof *keys->rank[t]);
        keys->numbers[t] = mem_alloc((table->n + 1) * sizeof *keys->numbers[t]);
        order->rows.n = 0;
        for (uint32_t i = 0; i < table->n; i++)
            *vec_push(&order->rows) = row_of_key(type, map_key(&table->keys, i), in_file);
        row_order_make(order, row_fields(type));
        for (uint32_t i = 0; i < order->sorted.n; i++)
            keys->rank[t][order->sorted.at[i].index] = i;
    }
}

static void keys_release(struct log_keys *keys)
{
    for (int t = 0; t < TABLES; t++) {
        mem_free(keys->rank[t]);
        mem_free(keys->numbers[t]);
    }
}

/* A row with its place in the file. */
struct ranked {
    uint32_t table, rank;
    struct logged_row row;
};

static int ranked_order(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->table != y->table)
        return x->table < y->table ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

struct log_page {
    struct encoder *encoder;
    const struct profile *profile;
    const struct numbering *in_file;
    struct log_keys *keys;
    uint32_t number; /* of the entry before */
    struct row row;  /* the last one that this chunk introduced */
};

static void page_begin(struct log_page *page, uint32_t table)
{
    encode_number(page->encoder, row_chunk((enum profile_table)table));
    page->number = 0;
    page->row = (struct row){{0}};
}

static void row_put(struct log_page *page, const struct logged_row *row)
{
    struct log_keys *keys = page->keys;
    uint32_t *known = &keys->numbers[row->table][row->key];
    bool is_new = !*known;
    if (is_new)
        *known = ++keys->written[row->table];
    encode_number(page->encoder, varint_fold((uint64_t)(*known - 1) - page->number));
    page->number = *known - 1;
    if (is_new) {
        enum chunk_type type = row_chunk((enum profile_table)row->table);
        struct row fields = row_of_key(
            type, map_key(&page->profile->tables[row->table].keys, row->key), page->in_file);
        for (size_t f = 0; f < row_fields(type); f++)
            encode_number(page->encoder, varint_fold(fields.fields[f] - page->row.fields[f]));
        page->row = fields;
    }
    encode_number(page->encoder, row->time);
    encode_number(page->encoder, row->count);
}

static void batch_put(struct log_page *page, const struct batch_log *log, size_t index)
{
    size_t first = log->batches.at[index].first_row, n = batch_log_end(log, index) - first;
    struct ranked *ranked = mem_alloc((n + 1) * sizeof *ranked);
    for (size_t i = 0; i < n; i++) {
        const struct logged_row *row = &log->rows.at[first + i];
        ranked[i] = (struct ranked){row->table, page->keys->rank[row->table][row->key], *row};
    }
    qsort(ranked, n, sizeof *ranked, ranked_order);
    moment_put(page->encoder, &log->batches.at[index]);
    for (size_t i = 0; i < n; i++) {
        bool other = !i || ranked[i].table != ranked[i - 1].table;
        if (i && (other || encode_is_full(page->encoder)))
            encode_chunk(page->encoder, CHUNK_LOGGED, CHUNK_VERSION);
        if (!page->encoder->payload.n)
            page_begin(page, ranked[i].table);
        row_put(page, &ranked[i].row);
    }
    if (n)
        encode_chunk(page->encoder, CHUNK_LOGGED, CHUNK_VERSION);
    mem_free(ranked);
}

struct placed_batch {
    const struct logged_batch *batch;
    size_t index;
};

static int batch_order(const void *a, const void *b)
{
    const struct logged_batch *x = ((const struct placed_batch *)a)->batch;
    const struct logged_batch *y = ((const struct placed_batch *)b)->batch;
    const uint64_t fields[][2] = {{x->span.begin_ns, y->span.begin_ns},
                                  {x->span.end_ns, y->span.end_ns},
                                  {x->x_time, y->x_time},
                                  {x->x_count, y->x_count}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i][0] != fields[i][1])
            return fields[i][0] < fields[i][1] ? -1 : 1;
    return 0;
}

void encode_log(struct encoder *encoder, const struct profile *profile,
                const struct numbering *in_file)
{
    struct batch_log coarse;
    struct log_keys keys = {0};
    if (!profile->log.batches.n)
        return;
    bool changes = batch_log_coarsen(&profile->log, &coarse);
    const struct batch_log *log = changes ? &coarse : &profile->log;
    struct log_page page = {
        .encoder = encoder, .profile = profile, .in_file = in_file, .keys = &keys};
    keys_rank(&keys, encoder, profile, in_file);
    struct placed_batch *placed = mem_alloc(log->batches.n * sizeof *placed);
    for (size_t i = 0; i < log->batches.n; i++)
        placed[i] = (struct placed_batch){&log->batches.at[i], i};
    qsort(placed, log->batches.n, sizeof *placed, batch_order);
    for (size_t i = 0; i < log->batches.n; i++)
        batch_put(&page, log, placed[i].index);
    mem_free(placed);
    keys_release(&keys);
    if (changes)
        batch_log_release(&coarse);
}

/* ---- reading */

bool decode_moment(struct decoder *decoder, struct cursor *cursor, struct err *err)
{
    uint64_t lasts;
    struct logged_batch batch = {.first_row = decoder->profile->log.rows.n};
    if (!payload_number(cursor, &batch.span.begin_ns, err) || !payload_number(cursor, &lasts, err))
        return false;
    if (__builtin_add_overflow(batch.span.begin_ns, lasts, &batch.span.end_ns))
        return err_set(err, ERR_FORMAT, "a batch ends before it begins");
    if (!payload_number(cursor, &batch.x_time, err) || !payload_number(cursor, &batch.x_count, err))
        return false;
    *vec_push(&decoder->profile->log.batches) = batch;
    decoder->logging = true;
    return true;
}

void decode_log_row(struct decoder *decoder, enum profile_table table, uint32_t key,
                    uint64_t y_time, uint64_t y_count)
{
    if (decoder->logging)
        *vec_push(&decoder->profile->log.rows) =
            (struct logged_row){.table = table, .key = key, .time = y_time, .count = y_count};
}
