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
    uint64_t number; /* of the entry before */
    struct row row;  /* the last one that was introduced in this chunk */
};

static uint32_t module_in_total(const struct profile_writer *writer, uint64_t module)
{
    return module == MODULE_NONE ? MODULE_NONE : writer->in_total.at[module];
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
    page->from->homes.at[index] = home;
    return home;
}

/* ---- entries */

static void page_begin(struct page *page)
{
    struct bytes *payload = &page->writer->encoder.payload;
    vec_reserve(payload, ENCODE_CHUNK_TARGET / 16);
    payload->n =
        (size_t)(varint_put(varint_put(payload->at, page->x_time), page->x_count) - payload->at);
    page->number = 0;
    page->row = (struct row){{0}};
}

static void page_end(struct page *page)
{
    encode_chunk(&page->writer->encoder, page->type, CHUNK_BATCH_VERSION);
}

static uint8_t *row_put(struct page *page, uint8_t *at, uint32_t home)
{
    struct row row =
        row_of_key(page->type, map_key(&page->total->keys, home), &page->writer->in_file);
    for (size_t f = 0; f < row_fields(page->type); f++)
        at = varint_put(at, varint_fold(row.fields[f] - page->row.fields[f]));
    page->row = row;
    return at;
}

static uint32_t number_make(struct writer_numbers *numbers, uint32_t home)
{
    while (numbers->n <= home)
        *vec_push(numbers) = MAP_NONE;
    return numbers->at[home] = numbers->next++;
}

static void entry_put(void *context, uint32_t index, struct batch_cell y)
{
    struct page *page = context;
    struct writer_numbers *numbers = page->numbers;
    struct bytes *payload = &page->writer->encoder.payload;
    if (payload->n >= ENCODE_CHUNK_TARGET) {
        page_end(page);
        page_begin(page);
    }
    uint32_t home = page->from->homes.at[index];
    if (home == MAP_NONE)
        home = home_make(page, index);
    vec_reserve(payload, payload->n + ENTRY_BYTES_MAX);
    uint8_t *at = payload->at + payload->n;
    bool known = home < numbers->n && numbers->at[home] != MAP_NONE;
    uint64_t number = known ? numbers->at[home] : number_make(numbers, home);
    at = varint_put(at, varint_fold(number - page->number));
    page->number = number;
    if (!known)
        at = row_put(page, at, home);
    at = varint_put(varint_put(at, y.time), y.count);
    payload->n = (size_t)(at - payload->at);
    sums_add_batch(&page->total->at[home], y.time, y.count, page->x_time, page->x_count);
}

/* ---- batches */

static void table_put(struct profile_writer *writer, const struct batch *batch, struct page page)
{
    page.writer = writer;
    page.x_time = batch->x_time;
    page.x_count = batch->x_count;
    page_begin(&page);
    size_t empty = writer->encoder.payload.n;
    batch_table_drain(page.from, entry_put, &page);
    if (writer->encoder.payload.n > empty)
        page_end(&page);
    writer->encoder.payload.n = 0;
}

void profile_writer_batch(struct profile_writer *writer, struct batch *batch)
{
    struct profile *total = &writer->total;
    writer_modules(writer, writer->delta, &writer->in_total);
    table_put(writer, batch,
              (struct page){.type = CHUNK_EDGES,
                            .from = &batch->edges,
                            .total = &total->edges,
                            .numbers = &writer->edges});
    table_put(writer, batch,
              (struct page){.type = CHUNK_RANGES,
                            .from = &batch->ranges,
                            .total = &total->ranges,
                            .numbers = &writer->ranges});
    table_put(writer, batch,
              (struct page){.type = CHUNK_POINTS,
                            .from = &batch->points,
                            .total = &total->points,
                            .numbers = &writer->points});
}

void writer_numbers_forget(struct profile_writer *writer)
{
    writer->edges.n = writer->ranges.n = writer->points.n = 0;
    writer->edges.next = writer->ranges.next = writer->points.next = 0;
}
