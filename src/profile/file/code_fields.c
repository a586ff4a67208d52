#include "profile/file/code_fields.h"

#include "base/memory.h"

#include <emmintrin.h>

enum { WHOLE_BITS = 15, SYMBOLS = 16, RANGE_LEAST = 1 << 24 };
/* Lines in a table: one for 16 bytes of code. */
enum { LINES_BITS_LEAST = 8, LINES_BITS_MOST = 16 };

enum field {
    FIELD_MODRM,
    FIELD_SIB,
    FIELD_DISP8,
    FIELD_DISP32_NEXT,
    FIELD_DISP32_LOW,
    FIELD_DISP32_HIGH,
    FIELD_NUMBER,
    FIELD_IMMEDIATE,
};

/* ---- contexts */

/* A line predicts half a byte: where each of its values begins in 2^15, but for the first, which
 * begins at 0; in its place is how often the line was used. */
static void open(struct code_fields *fields, unsigned bits)
{
    size_t lines = (size_t)1 << bits;
    for (int t = 0; t < 2; t++) {
        fields->lines[t] = mem_alloc(lines * sizeof *fields->lines[t]);
        for (size_t i = 0; i < lines * SYMBOLS; i++)
            fields->lines[t][i / SYMBOLS][i % SYMBOLS] =
                (uint16_t)(i % SYMBOLS << (WHOLE_BITS - 4));
    }
    fields->shift = 32 - bits;
    fields->range = UINT32_MAX;
}

static uint32_t mixed(uint32_t context, uint32_t with)
{
    uint32_t h = (context ^ with) * 0x9E3779B1u;
    return h ^ h >> 15;
}

static uint32_t mixed3(enum field field, uint32_t x, uint32_t y)
{
    return mixed(mixed(mixed(0, (uint32_t)field + 1), x), y);
}

static uint16_t *line_of(struct code_fields *fields, int table, uint32_t context)
{
    uint32_t h = context * 0x85EBCA77u;
    return fields->lines[table][h >> fields->shift];
}

struct sixteen {
    __m128i low, high;
};

static struct sixteen sixteen_load(const void *from)
{
    const __m128i *at = from;
    return (struct sixteen){_mm_loadu_si128(at), _mm_loadu_si128(at + 1)};
}

static void sixteen_store(void *to, struct sixteen value)
{
    __m128i *at = to;
    _mm_storeu_si128(at, value.low);
    _mm_storeu_si128(at + 1, value.high);
}

/* Of the second line, in 16ths: it is the narrower context, and counts twice as much as the first,
 * but only once it was used. */
static unsigned weight_of(unsigned first, unsigned second)
{
    return second ? (2 * second * 16) / (2 * second + first + 1) : 0;
}

static __m128i nearer(__m128i from, __m128i to, __m128i shift)
{
    return _mm_add_epi16(from, _mm_sra_epi16(_mm_sub_epi16(to, from), shift));
}

/* The less it was used, the faster a line learns. */
static void learn(uint16_t *line, unsigned value)
{
    static const uint8_t shifts[FIELD_COUNT_MAX + 1] = {1, 1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 4, 5};
    static const uint16_t ends[2 * SYMBOLS] = {
        [SYMBOLS] = INT16_MAX,      [SYMBOLS + 1] = INT16_MAX,  [SYMBOLS + 2] = INT16_MAX,
        [SYMBOLS + 3] = INT16_MAX,  [SYMBOLS + 4] = INT16_MAX,  [SYMBOLS + 5] = INT16_MAX,
        [SYMBOLS + 6] = INT16_MAX,  [SYMBOLS + 7] = INT16_MAX,  [SYMBOLS + 8] = INT16_MAX,
        [SYMBOLS + 9] = INT16_MAX,  [SYMBOLS + 10] = INT16_MAX, [SYMBOLS + 11] = INT16_MAX,
        [SYMBOLS + 12] = INT16_MAX, [SYMBOLS + 13] = INT16_MAX, [SYMBOLS + 14] = INT16_MAX};
    unsigned n = line[0];
    __m128i shift = _mm_cvtsi32_si128(shifts[n]);
    struct sixteen now = sixteen_load(line), end = sixteen_load(ends + SYMBOLS - 1 - value);
    now.low = nearer(now.low, end.low, shift);
    now.high = nearer(now.high, end.high, shift);
    sixteen_store(line, now);
    line[0] = (uint16_t)(n < FIELD_COUNT_MAX ? n + 1 : n);
}

static __m128i between(__m128i first, __m128i second, unsigned weight, __m128i least)
{
    __m128i a = _mm_mullo_epi16(_mm_srli_epi16(first, 4), _mm_set1_epi16((short)(16 - weight)));
    __m128i b = _mm_mullo_epi16(_mm_srli_epi16(second, 4), _mm_set1_epi16((short)weight));
    __m128i at = _mm_add_epi16(a, b);
    return _mm_add_epi16(_mm_sub_epi16(at, _mm_srli_epi16(at, 10)), least);
}

/* Where values begin, by both lines; each has at least 2 of 2^15. */
static struct sixteen begins(const uint16_t *first, const uint16_t *second)
{
    unsigned weight = weight_of(first[0], second[0]);
    struct sixteen a = sixteen_load(first), b = sixteen_load(second), at;
    at.low = between(a.low, b.low, weight, _mm_setr_epi16(0, 2, 4, 6, 8, 10, 12, 14));
    at.high = between(a.high, b.high, weight, _mm_setr_epi16(16, 18, 20, 22, 24, 26, 28, 30));
    at.low = _mm_insert_epi16(at.low, 0, 0);
    return at;
}

/* ---- half bytes */

static void put(struct bytes *out, uint8_t byte)
{
    if (out->n == out->room)
        bytes_reserve(out, out->n + 1);
    out->at[out->n++] = byte;
}

/* The highest byte of `low` leaves it, once no carry can change it any more. */
static void shift_low(struct code_fields *fields)
{
    bool carry = fields->low >> 32;
    if (!fields->held || carry || fields->low < 0xff000000u) {
        for (uint8_t byte = fields->first; fields->held; byte = 0xff, fields->held--)
            put(&fields->out, (uint8_t)(byte + carry));
        fields->first = (uint8_t)(fields->low >> 24);
    }
    fields->held++;
    fields->low = (fields->low & 0x00ffffff) << 8;
}

/* The last value that begins there or before. */
static unsigned value_at(struct sixteen begins, uint32_t at)
{
    __m128i where = _mm_set1_epi16((short)(at < INT16_MAX ? at : INT16_MAX));
    __m128i later =
        _mm_packs_epi16(_mm_cmpgt_epi16(begins.low, where), _mm_cmpgt_epi16(begins.high, where));
    return (unsigned)__builtin_ctz((unsigned)_mm_movemask_epi8(later) | 1u << SYMBOLS) - 1;
}

static unsigned half_code(struct code_fields *fields, uint32_t first, uint32_t second,
                          unsigned value)
{
    uint16_t *a = line_of(fields, 0, first), *b = line_of(fields, 1, second);
    uint16_t at[SYMBOLS];
    uint32_t unit = fields->range >> WHOLE_BITS;
    struct sixteen all = begins(a, b);
    if (!fields->writes)
        value = value_at(all, fields->code / unit);
    sixteen_store(at, all);
    uint32_t start = unit * (uint32_t)at[value];
    if (value + 1 < SYMBOLS)
        fields->range = unit * (uint32_t)at[value + 1];
    fields->range -= start;
    if (fields->writes)
        fields->low += start;
    else
        fields->code -= start;
    while (fields->range < RANGE_LEAST) {
        fields->range <<= 8;
        if (fields->writes)
            shift_low(fields);
        else
            fields->code = fields->code << 8 | cursor_u8(&fields->from);
    }
    learn(a, value);
    learn(b, value);
    return value;
}

static uint8_t byte_code(struct code_fields *fields, uint32_t first, uint32_t second, uint8_t byte)
{
    unsigned high = half_code(fields, first, second, byte >> 4);
    unsigned low = half_code(fields, mixed(first, high + 1), mixed(second, high + 1), byte & 15);
    return (uint8_t)(high << 4 | low);
}

/* ---- from beginning to end */

void fields_write(struct code_fields *fields, size_t code_bytes)
{
    unsigned bits = LINES_BITS_LEAST;
    *fields = (struct code_fields){.writes = true};
    while (bits < LINES_BITS_MOST && (size_t)1 << bits < code_bytes / 16)
        bits++;
    put(&fields->out, (uint8_t)bits);
    open(fields, bits);
}

void fields_flush(struct code_fields *fields)
{
    for (unsigned i = 0; i <= sizeof fields->range; i++)
        shift_low(fields);
}

bool fields_read(struct code_fields *fields, struct cursor from)
{
    *fields = (struct code_fields){.from = from};
    unsigned bits = cursor_u8(&fields->from);
    if (bits < LINES_BITS_LEAST || bits > LINES_BITS_MOST)
        return false;
    open(fields, bits);
    fields->code = __builtin_bswap32(cursor_u32(&fields->from));
    return !fields->from.bad;
}

void fields_release(struct code_fields *fields)
{
    vec_release(&fields->out);
    mem_free(fields->lines[0]);
    mem_free(fields->lines[1]);
}

/* ---- fields */

uint8_t fields_modrm(struct code_fields *fields, uint32_t shape, uint8_t modrm)
{
    return byte_code(
        fields, mixed3(FIELD_MODRM, shape, 0),
        mixed3(FIELD_MODRM, shape, mixed(fields->modrm_before & 0x38, fields->shape_before)),
        modrm);
}

uint8_t fields_sib(struct code_fields *fields, uint32_t shape, uint8_t modrm, uint8_t sib)
{
    return byte_code(fields, mixed3(FIELD_SIB, modrm, 0), mixed3(FIELD_SIB, modrm, shape), sib);
}

static void disp32(struct code_fields *fields, uint32_t shape, uint8_t modrm, uint8_t sib,
                   uint8_t *at)
{
    at[1] = byte_code(fields, mixed3(FIELD_DISP32_NEXT, shape, modrm),
                      mixed3(FIELD_DISP32_NEXT, modrm & 0xc7, sib), at[1]);
    at[0] = byte_code(fields, mixed3(FIELD_DISP32_LOW, at[1], 0),
                      mixed3(FIELD_DISP32_LOW, at[1], modrm + 1u), at[0]);
    at[2] = byte_code(fields, mixed3(FIELD_DISP32_HIGH, at[1], 0),
                      mixed3(FIELD_DISP32_HIGH, at[1], 0), at[2]);
    at[3] = byte_code(fields, mixed3(FIELD_DISP32_HIGH, at[2], 256),
                      mixed3(FIELD_DISP32_HIGH, at[2], 256), at[3]);
}

void fields_displacement(struct code_fields *fields, uint32_t shape, uint8_t modrm, uint8_t sib,
                         struct shape_layout layout, uint8_t *at)
{
    if (layout.disp_bytes == 1)
        *at = byte_code(fields, mixed3(FIELD_DISP8, layout.disp_column, 0),
                        mixed3(FIELD_DISP8, shape, modrm + 1u), *at);
    else if (layout.disp_bytes)
        disp32(fields, shape, modrm, sib, at);
}

uint64_t fields_number(struct code_fields *fields, uint32_t shape, uint64_t number)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = (uint8_t)((number >> shift & 0x7f) | (number >> shift > 0x7f ? 0x80 : 0));
        byte = byte_code(fields, mixed3(FIELD_NUMBER, shape, 0),
                         mixed3(FIELD_NUMBER, shape, fields->jump_before + 256), byte);
        fields->jump_before = byte;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            break;
    }
    return value;
}

void fields_immediate(struct code_fields *fields, uint32_t shape, uint8_t modrm, uint8_t *at,
                      unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        uint32_t own = mixed3(FIELD_IMMEDIATE, shape, i);
        at[i] =
            byte_code(fields, mixed(own, modrm + 1u), mixed(own, fields->imm_before + 257), at[i]);
        fields->imm_before = at[i];
    }
}

void fields_next(struct code_fields *fields, uint32_t shape, uint8_t modrm)
{
    fields->shape_before = shape;
    fields->modrm_before = modrm;
}
