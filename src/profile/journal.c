#include "profile/sums.h"
#include "profile/writer.h"
#include "wire/varint.h"

#include <string.h>

enum { ENTRY_BYTES_MAX = (1 + ROW_FIELDS_MAX + 2) * VARINT_BYTES_MAX };

/* One table of a batch on its way into a chunk. */
struct page {
    struct profile_writer *writer;
    enum chunk_type type;
    struct batch_table *from;
    struct table *total;
    struct writer_numbers *numbers;
    uint64_t x_time, x_count;
    uint32_t number; /* of the entry before */
    struct row row;  /* the last one that was introduced in this chunk */
};

static uint32_t module_in_total(const struct profile_writer *writer, uint64_t module)
{
    return module == MODULE_NONE ? MODULE_NONE : writer->in_total.at[module];
}

static void numbers_reach(struct writer_numbers *numbers, size_t n)
{
    while (numbers->n < n)
        *vec_push(numbers) = MAP_NONE;
}

static uint32_t home_make(struct page *page, uint32_t index)
{
    const struct profile_writer *writer = page->writer;
    const void *in_batch = map_key(&page->from->keys, index);
    union any_key key;
    memcpy(&key, in_batch, page->from->keys.key_bytes);
    if (page->type == CHUNK_EDGES) {
        key.edge.from_module = module_in_total(writer, key.edge.from_module);
        key.edge.to_module = module_in_total(writer, key.edge.to_module);
    } else if (page->type == CHUNK_RANGES) {
        key.range.module = module_in_total(writer, key.range.module);
    } else {
        key.point.module = module_in_total(writer, key.point.module);
    }
    uint32_t home = (uint32_t)(table_at(page->total, &key) - page->total->at);
    numbers_reach(page->numbers, page->total->n);
    page->from->homes.at[index] = home;
    return home;
}

/* ---- entries */

static void page_begin(struct page *page)
{
    struct bytes *payload = &page->writer->encoder.payload;
    vec_reserve(payload, 2 * VARINT_BYTES_MAX);
    uint8_t *at = varint_put(varint_put(payload->at, page->x_time), page->x_count);
    payload->n = (size_t)(at - payload->at);
    page->number = 0;
    page->row = (struct row){{0}};
}

static void page_end(struct page *page)
{
    encode_chunk(&page->writer->encoder, page->type, CHUNK_BATCH_VERSION);
}

static uint8_t *number_put(struct page *page, uint8_t *at, uint32_t number)
{
    at = varint_put(at, varint_fold((uint64_t)number - page->number));
    page->number = number;
    return at;
}

/* A key that is new to the file: gets the next number and is written. */
static uint8_t *key_introduce(struct page *page, uint8_t *at, uint32_t home)
{
    struct row row =
        row_of_key(page->type, map_key(&page->total->keys, home), &page->writer->in_file);
    page->numbers->at[home] = page->numbers->next++;
    at = number_put(page, at, page->numbers->at[home]);
    for (size_t f = 0; f < row_fields(page->type); f++)
        at = varint_put(at, varint_fold(row.fields[f] - page->row.fields[f]));
    page->row = row;
    return at;
}

static uint8_t *entry_put(struct page *page, uint8_t *at, uint32_t index, struct batch_cell y)
{
    uint32_t home = page->from->homes.at[index];
    if (home == MAP_NONE)
        home = home_make(page, index);
    uint32_t number = page->numbers->at[home];
    at = number != MAP_NONE ? number_put(page, at, number) : key_introduce(page, at, home);
    sums_add_batch(&page->total->at[home], y.time, y.count, page->x_time, page->x_count);
    return varint_put(varint_put(at, y.time), y.count);
}

/* The cells of one word of bits; empties them. */
static void word_put(struct page *page, uint32_t word)
{
    struct bytes *payload = &page->writer->encoder.payload;
    struct batch_cell *cells = page->from->cells.at;
    vec_reserve(payload, payload->n + 64 * ENTRY_BYTES_MAX);
    uint8_t *at = payload->at + payload->n;
    for (uint64_t bits = page->from->touched.at[word]; bits; bits &= bits - 1) {
        uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(bits);
        struct batch_cell y = cells[index];
        cells[index] = (struct batch_cell){0};
        if (y.time | y.count)
            at = entry_put(page, at, index, y);
    }
    page->from->touched.at[word] = 0;
    payload->n = (size_t)(at - payload->at);
}

/* ---- batches */

static void table_put(struct page *page)
{
    struct bytes *payload = &page->writer->encoder.payload;
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

void profile_writer_batch(struct profile_writer *writer, struct batch *batch)
{
    struct profile *total = &writer->total;
    writer_modules(writer, writer->delta, &writer->in_total);
    struct page pages[] = {{.type = CHUNK_EDGES,
                            .from = &batch->edges,
                            .total = &total->edges,
                            .numbers = &writer->edges},
                           {.type = CHUNK_RANGES,
                            .from = &batch->ranges,
                            .total = &total->ranges,
                            .numbers = &writer->ranges},
                           {.type = CHUNK_POINTS,
                            .from = &batch->points,
                            .total = &total->points,
                            .numbers = &writer->points}};
    for (int i = 0; i < 3; i++) {
        pages[i].writer = writer;
        pages[i].x_time = batch->x_time;
        pages[i].x_count = batch->x_count;
        numbers_reach(pages[i].numbers, pages[i].total->n);
        table_put(&pages[i]);
    }
}

void writer_numbers_forget(struct profile_writer *writer)
{
    writer->edges.n = writer->ranges.n = writer->points.n = 0;
    writer->edges.next = writer->ranges.next = writer->points.next = 0;
}
