#include "profile/file/log_chunk.h"
#include "profile/file/writer.h"
#include "wire/varint.h"

#include <string.h>

enum { ENTRY_BYTES_MAX = (1 + ROW_FIELDS_MAX + 2) * VARINT_BYTES_MAX };

/* One table of a batch on its way into a chunk. */
struct page {
    struct encoder *encoder;
    enum chunk_type type;
    struct batch_table *from;
    struct map *keys;                /* by number */
    const struct numbering *modules; /* in the file */
    uint64_t x_time, x_count;
    uint32_t number; /* of the entry before */
    struct row row;  /* the last one that was introduced in this chunk */
};

static void page_begin(struct page *page)
{
    struct bytes *payload = &page->encoder->payload;
    bytes_reserve(payload, 2 * VARINT_BYTES_MAX);
    uint8_t *at = varint_put(varint_put(payload->at, page->x_time), page->x_count);
    payload->n = (size_t)(at - payload->at);
    page->number = 0;
    page->row = (struct row){{0}};
}

static void page_end(struct page *page)
{
    encode_chunk(page->encoder, page->type, CHUNK_BATCH_VERSION);
}

static uint8_t *number_put(struct page *page, uint8_t *at, uint32_t number)
{
    at = varint_put(at, varint_fold((uint64_t)number - page->number));
    page->number = number;
    return at;
}

/* A key whose number the batch does not know. It may be new to the file: then it is written. */
static uint8_t *key_put(struct page *page, uint8_t *at, uint32_t index)
{
    const void *key = map_key(&page->from->keys, index);
    uint32_t known = page->keys->n, number = map_add(page->keys, key);
    page->from->numbers.at[index] = number;
    at = number_put(page, at, number);
    if (number < known)
        return at;
    struct row row = row_of_key(page->type, key, page->modules);
    for (size_t f = 0; f < row_fields(page->type); f++)
        at = varint_put(at, varint_fold(row.fields[f] - page->row.fields[f]));
    page->row = row;
    return at;
}

/* The cells of one word of bits; empties them. */
static void word_put(struct page *page, uint32_t word)
{
    struct bytes *payload = &page->encoder->payload;
    struct batch_cell *cells = page->from->cells.at;
    bytes_reserve(payload, payload->n + 64 * ENTRY_BYTES_MAX);
    uint8_t *at = payload->at + payload->n;
    for (uint64_t bits = page->from->touched.at[word]; bits; bits &= bits - 1) {
        uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(bits);
        struct batch_cell y = cells[index];
        cells[index] = (struct batch_cell){0};
        if (!(y.time | y.count))
            continue;
        uint32_t number = page->from->numbers.at[index];
        at = number != MAP_NONE ? number_put(page, at, number) : key_put(page, at, index);
        at = varint_put(varint_put(at, y.time), y.count);
    }
    page->from->touched.at[word] = 0;
    payload->n = (size_t)(at - payload->at);
}

static void table_put(struct page *page)
{
    struct bytes *payload = &page->encoder->payload;
    page_begin(page);
    size_t empty = payload->n;
    for (uint32_t word = 0; word < page->from->touched.n; word++) {
        if (!page->from->touched.at[word])
            continue;
        word_put(page, word);
        if (payload->n >= ENCODE_CHUNK_TARGET) {
            page_end(page);
            page_begin(page);
        }
    }
    if (payload->n > empty)
        page_end(page);
    payload->n = 0;
}

static void numbers_forget(struct batch_table *table)
{
    for (size_t i = 0; i < table->numbers.n; i++)
        table->numbers.at[i] = MAP_NONE;
}

void profile_writer_batch(struct batch_sink *sink, struct batch *batch)
{
    struct profile_writer *writer = (struct profile_writer *)sink;
    writer_modules(writer, writer->delta, &writer->delta_modules);
    if (batch->span.end_ns)
        encode_moment(&writer->encoder, batch);
    for (int i = 0; i < TABLES; i++) {
        struct page page = {.type = row_chunk((enum profile_table)i),
                            .from = &batch->tables[i],
                            .keys = &writer->keys[i],
                            .encoder = &writer->encoder,
                            .modules = &writer->delta_modules,
                            .x_time = batch->x_time,
                            .x_count = batch->x_count};
        if (batch->generation != writer->generation)
            numbers_forget(page.from);
        table_put(&page);
    }
    batch->generation = writer->generation;
}
