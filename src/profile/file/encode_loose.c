#include "profile/file/encode_loose.h"

#include "profile/sums.h"
#include "wire/varint.h"

enum {
    KIND_BITS = 5,
    PLACE_BITS_MAX = 48,
    FIELDS = 5, /* of an edge; a range has fewer */
    ROW_BYTES_MAX = FIELDS * VARINT_BYTES_MAX + 1 + VARINT_BYTES_MAX,
    AHEAD = 8, /* rows that are fetched while others are written */
};
_Static_assert(EDGE_KINDS <= 1 << KIND_BITS, "a kind has its bits");

/* Addresses of all modules in one row, in the order of the file. */
struct line {
    struct {
        VEC(uint64_t);
    } starts;      /* of each module by its number in the file plus one; 0 is none */
    unsigned bits; /* of the last place */
};

static uint64_t number_of(uint32_t module, const struct numbering *in_file)
{
    return module == MODULE_NONE ? 0 : in_file->at[module] + (uint64_t)1;
}

static void reach(struct line *line, uint64_t number, struct svma address)
{
    uint64_t end = address.v < UINT64_MAX ? address.v + 1 : UINT64_MAX;
    if (line->starts.at[number] < end)
        line->starts.at[number] = end;
}

static unsigned bits_of(uint64_t value)
{
    return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

/* From how far each module reaches to where it starts. */
static bool line_up(struct line *line)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < line->starts.n; i++) {
        uint64_t bytes = line->starts.at[i];
        if (bytes > UINT64_C(1) << PLACE_BITS_MAX || sum > UINT64_C(1) << PLACE_BITS_MAX)
            return false;
        line->starts.at[i] = sum;
        sum += bytes;
    }
    line->bits = bits_of(sum);
    return true;
}

static bool line_make(struct line *line, const struct loose_rows *loose,
                      const struct numbering *in_file)
{
    vec_reserve(&line->starts, in_file->n + 1);
    line->starts.n = in_file->n + 1;
    for (size_t i = 0; i < loose->edges.n; i++) {
        const struct edge_key *key = &loose->edges.at[i].key;
        reach(line, number_of(key->from_module, in_file), key->from);
        reach(line, number_of(key->to_module, in_file), key->to);
    }
    for (size_t i = 0; i < loose->ranges.n; i++) {
        const struct range_key *key = &loose->ranges.at[i].key;
        reach(line, number_of(key->module, in_file), key->start);
    }
    return line_up(line);
}

static uint64_t place_of(const struct line *line, uint64_t number, struct svma address)
{
    return line->starts.at[number] + address.v;
}

static struct row_place *places_of(struct encoder *encoder, size_t n)
{
    vec_room(&encoder->order.sorted, n);
    encoder->order.sorted.n = n;
    return encoder->order.sorted.at;
}

/* One row: differences to the row before, and the count. */
static void put(struct encoder *encoder, enum chunk_type type, const uint64_t *fields, size_t n,
                uint64_t *previous, uint64_t count)
{
    struct bytes *payload = &encoder->payload;
    if (encode_is_full(encoder)) {
        encode_chunk(encoder, type, CHUNK_VERSION);
        memset(previous, 0, n * sizeof *previous);
    }
    bytes_reserve(payload, payload->n + ROW_BYTES_MAX);
    uint8_t *at = payload->at + payload->n;
    for (size_t f = 0; f < n; f++) {
        at = varint_put(at, varint_fold(fields[f] - previous[f]));
        previous[f] = fields[f];
    }
    *at++ = count ? 2 : 0; /* as in encode.c: which sums there are */
    if (count)
        at = varint_put(at, count);
    payload->n = (size_t)(at - payload->at);
}

/* ---- edges */

static void edges_sort(struct encoder *encoder, const struct loose_edges *edges,
                       const struct line *line, const struct numbering *in_file)
{
    struct row_place *places = places_of(encoder, edges->n);
    for (size_t i = 0; i < edges->n; i++) {
        const struct edge_key *key = &edges->at[i].key;
        uint64_t from = place_of(line, number_of(key->from_module, in_file), key->from);
        uint64_t to = place_of(line, number_of(key->to_module, in_file), key->to);
        places[i] =
            (struct row_place){(from << line->bits | to) << KIND_BITS | key->kind, (uint32_t)i};
    }
    row_places_sort(&encoder->order);
}

static void edges_put(struct encoder *encoder, const struct loose_edges *edges,
                      const struct numbering *in_file)
{
    const struct row_places *sorted = &encoder->order.sorted;
    uint64_t previous[5] = {0};
    encoder->rows[TABLE_EDGES] = 0;
    for (size_t i = 0; i < sorted->n;) {
        const struct edge_key *key = &edges->at[sorted->at[i].index].key;
        uint64_t word = sorted->at[i].word, count = 0;
        for (; i < sorted->n && sorted->at[i].word == word; i++) {
            sum_add(&count, edges->at[sorted->at[i].index].count);
            if (i + AHEAD < sorted->n)
                __builtin_prefetch(&edges->at[sorted->at[i + AHEAD].index]);
        }
        uint64_t fields[5] = {number_of(key->from_module, in_file), key->from.v,
                              number_of(key->to_module, in_file), key->to.v, key->kind};
        put(encoder, CHUNK_EDGES, fields, 5, previous, count);
        encoder->rows[TABLE_EDGES]++;
    }
    if (sorted->n)
        encode_chunk(encoder, CHUNK_EDGES, CHUNK_VERSION);
}

/* ---- ranges */

/* Bits of the bytes and of the instructions of the longest range. */
struct lengths {
    unsigned bytes, instructions;
};

static struct lengths lengths_of(const struct loose_ranges *ranges)
{
    uint64_t bytes = 0, instructions = 0;
    for (size_t i = 0; i < ranges->n; i++) {
        const struct range_key *key = &ranges->at[i].key;
        bytes |= key->last.v - key->start.v;
        instructions |= key->instructions;
    }
    return (struct lengths){bits_of(bytes), bits_of(instructions)};
}

static void ranges_sort(struct encoder *encoder, const struct loose_ranges *ranges,
                        const struct line *line, const struct lengths *lengths,
                        const struct numbering *in_file)
{
    struct row_place *places = places_of(encoder, ranges->n);
    for (size_t i = 0; i < ranges->n; i++) {
        const struct range_key *key = &ranges->at[i].key;
        uint64_t word = place_of(line, number_of(key->module, in_file), key->start);
        word = word << lengths->bytes | (key->last.v - key->start.v);
        word = word << lengths->instructions | key->instructions;
        places[i] = (struct row_place){word, (uint32_t)i};
    }
    row_places_sort(&encoder->order);
}

static void ranges_put(struct encoder *encoder, const struct loose_ranges *ranges,
                       const struct numbering *in_file)
{
    const struct row_places *sorted = &encoder->order.sorted;
    uint64_t previous[4] = {0};
    encoder->rows[TABLE_RANGES] = 0;
    for (size_t i = 0; i < sorted->n;) {
        const struct range_key *key = &ranges->at[sorted->at[i].index].key;
        uint64_t word = sorted->at[i].word, count = 0;
        for (; i < sorted->n && sorted->at[i].word == word; i++) {
            sum_add(&count, ranges->at[sorted->at[i].index].count);
            if (i + AHEAD < sorted->n)
                __builtin_prefetch(&ranges->at[sorted->at[i + AHEAD].index]);
        }
        uint64_t fields[4] = {number_of(key->module, in_file), key->start.v, key->last.v,
                              key->instructions};
        put(encoder, CHUNK_RANGES, fields, 4, previous, count);
        encoder->rows[TABLE_RANGES]++;
    }
    if (sorted->n)
        encode_chunk(encoder, CHUNK_RANGES, CHUNK_VERSION);
}

bool encode_loose(struct encoder *encoder, const struct loose_rows *loose,
                  const struct numbering *in_file)
{
    struct line line = {0};
    struct lengths lengths = lengths_of(&loose->ranges);
    bool fits = line_make(&line, loose, in_file) && 2 * line.bits + KIND_BITS <= 64 &&
                line.bits + lengths.bytes + lengths.instructions <= 64 &&
                loose->edges.n <= UINT32_MAX && loose->ranges.n <= UINT32_MAX;
    if (fits) {
        edges_sort(encoder, &loose->edges, &line, in_file);
        edges_put(encoder, &loose->edges, in_file);
        ranges_sort(encoder, &loose->ranges, &line, &lengths, in_file);
        ranges_put(encoder, &loose->ranges, in_file);
    }
    vec_release(&line.starts);
    return fits;
}
