#include "compress/compressor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum { N = 200000 };

static struct tuple tuples[N];
static struct message messages[N];
static struct compressor compressor;

/* Skewed: the tuple number k is about twice as frequent as number 2k. */
static void stream_make(uint64_t seed)
{
    struct random random = {seed};
    for (size_t i = 0; i < N; i++) {
        uint64_t k = random_below(&random, UINT64_C(1) << (1 + random_below(&random, 14)));
        tuples[i] = (struct tuple){0x401000 + 4 * (k / 3), k * k};
    }
}

static const char *wrong(const char *text, size_t *at)
{
    struct design design;
    return design_parse(&design, text, at);
}

static size_t compress(const char *text, uint64_t seed)
{
    struct design design;
    size_t at = 0, made = 0;
    assert_null(design_parse(&design, text, &at));
    compressor_init(&compressor, &design, seed);
    for (size_t i = 0; i < N; i += 1000)
        made += compressor_take(&compressor, tuples + i, 1000, messages + made);
    return made + compressor_flush(&compressor, messages + made);
}

static uint64_t told(size_t made)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < made; i++)
        sum += messages[i].count;
    return sum;
}

/* ---- designs */

static void designs_are_read(void **state)
{
    (void)state;
    struct design design;
    size_t at;
    assert_null(design_parse(&design, "H[CR256]2048+A16,paper,phase", &at));
    assert_true(design.sampling.counted && design.paper && design.phase && !design.tagged);
    assert_int_equal(design.sampling.kind, SAMPLER_RANDOM);
    assert_int_equal(design.sampling.rate, 256);
    assert_int_equal(design.bits, 11);
    assert_int_equal(design.associative, 16);
    assert_null(design_parse(&design, "T2[256]2048x2", &at));
    assert_true(design.tagged);
    assert_int_equal(design.bits, 10);
    assert_int_equal(design.ways, 2);
}

static void wrong_designs_are_told_where(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t at;
    } cases[] = {{"", 0},
                 {"X256", 0},
                 {"P0", 1},
                 {"P", 1},
                 {"H[P256]", 7},
                 {"H[P256]1000", 7},
                 {"H[P256", 6},
                 {"HP256", 1},
                 {"T2[256]2048", 11},
                 {"T9[256]2048x2", 1},
                 {"T2[256]2x4", 10},
                 {"P256+A0", 6},
                 {"P256+A65", 6},
                 {"P256 ", 4},
                 {"P256,fast", 5},
                 {"P99999999999999999999", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t at = 99;
        assert_non_null(wrong(cases[i].text, &at));
        assert_int_equal(at, cases[i].at);
    }
}

/* ---- the paper's hash, as the paper writes it */

static uint64_t randomize(const uint8_t *table, uint64_t word)
{
    uint64_t result = 0;
    for (int byte = 0; byte < 8; byte++)
        result |= (uint64_t)table[(uint8_t)(word >> 8 * byte)] << 8 * byte;
    return result;
}

static void paper_hash_is_the_papers(void **state)
{
    (void)state;
    static struct hash eight, hash;
    /* With 8 bits, the lowest byte of a value is its permuted self: the table can be read off. */
    hash_init(&eight, 8, true, 7);
    uint8_t table[256];
    for (int i = 0; i < 256; i++)
        table[i] = (uint8_t)eight.folded[8][i];
    struct random random = {3};
    for (uint32_t bits = 1; bits <= HASH_BITS_MAX; bits++) {
        hash_init(&hash, bits, true, 7);
        for (int i = 0; i < 200; i++) {
            struct tuple tuple = {random_next(&random), random_next(&random)};
            uint64_t mixed =
                __builtin_bswap64(randomize(table, tuple.place)) ^ randomize(table, tuple.value);
            uint32_t folded = 0;
            for (uint32_t shift = 0; shift < 64; shift += bits)
                folded ^= (uint32_t)(mixed >> shift & ((UINT64_C(1) << bits) - 1));
            assert_int_equal(hash_index(&hash, &tuple), folded);
        }
    }
}

/* ---- samplers */

static void periodic_takes_each_nth(void **state)
{
    (void)state;
    stream_make(1);
    size_t made = compress("P100", 1);
    assert_int_equal(made, N / 100);
    for (size_t i = 0; i < made; i++) {
        assert_memory_equal(&messages[i].tuple, &tuples[100 * i + 99], sizeof *tuples);
        assert_int_equal(messages[i].count, 100);
    }
}

/* 2,000 +- 45 samples; gaps of a coin are geometric: 1/e of them are longer than their mean, of a
 * countdown one half. */
static void random_and_countdown_have_their_gaps(void **state)
{
    (void)state;
    stream_make(2);
    size_t made = compress("CR100", 2), longer = 0;
    assert_in_range(made, 1750, 2250);
    assert_in_range(told(made), N - 2000, N);
    for (size_t i = 0; i < made; i++)
        longer += messages[i].count > 100;
    assert_in_range(1000 * longer / made, 320, 410);
    made = compress("CD100", 2), longer = 0;
    assert_in_range(made, 1850, 2150);
    for (size_t i = 0; i < made; i++) {
        assert_in_range(messages[i].count, 1, 199);
        longer += messages[i].count > 100;
    }
    assert_in_range(1000 * longer / made, 440, 560);
}

/* Each part tells of its tuples up to the period that is not full. */
static void split_periods_count(void **state)
{
    (void)state;
    stream_make(3);
    static const char *const designs[] = {"H[P256]64", "H[P16]256,paper", "H[CP50]128",
                                          "H[CD64]128", "H[CR64]128"};
    for (size_t i = 0; i < sizeof designs / sizeof *designs; i++) {
        uint64_t sum = told(compress(designs[i], 3));
        assert_in_range(sum, N - 64 * 256, N);
    }
}

/* Bytes of 256 and samplers of 256 are the same thing. */
static void bytes_are_samplers(void **state)
{
    (void)state;
    stream_make(4);
    size_t made = compress("H[P256]64", 5);
    struct message *first = malloc(made * sizeof *first);
    memcpy(first, messages, made * sizeof *first);
    assert_int_equal(compress("H[CP256]64", 5), made);
    assert_false(compressor.front.splitter.bytes);
    assert_memory_equal(first, messages, made * sizeof *first);
    free(first);
}

static void phase_begins_anywhere(void **state)
{
    (void)state;
    stream_make(5);
    /* Twenty tuples a part, a period of 256: none without a phase, one in twelve with it. */
    for (size_t i = 0; i < N; i++)
        tuples[i].place = tuples[i].value = i % 10000;
    assert_int_equal(compress("H[P256]16384", 1), 0);
    assert_in_range(compress("H[P256]16384,phase", 1), 400, 1200);
}

/* ---- associative */

struct total {
    struct tuple tuple;
    uint64_t count;
};

static int by_tuple(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct tuple));
}

static size_t totals(struct total *to, size_t made)
{
    for (size_t i = 0; i < made; i++)
        to[i] = (struct total){messages[i].tuple, messages[i].count};
    qsort(to, made, sizeof *to, by_tuple);
    size_t n = 0;
    for (size_t i = 0; i < made; i++)
        if (n && !by_tuple(&to[n - 1], &to[i]))
            to[n - 1].count += to[i].count;
        else
            to[n++] = to[i];
    return n;
}

static void associative_loses_nothing(void **state)
{
    (void)state;
    stream_make(6);
    size_t made = compress("H[P16]256", 1);
    struct total *without = malloc(made * sizeof *without), *with = malloc(made * sizeof *with);
    size_t n = totals(without, made), fewer = compress("H[P16]256+A16", 1);
    assert_in_range(fewer, n, made - made / 20);
    assert_int_equal(totals(with, fewer), n);
    assert_memory_equal(with, without, n * sizeof *with);
    free(without);
    free(with);
}

static void kinds_go_through_together(void **state)
{
    (void)state;
    struct tuple tuple = {tuple_place(TUPLE_CALL, 0x7fffdeadbeef), 5};
    assert_int_equal(tuple_kind(&tuple), TUPLE_CALL);
    assert_int_equal(tuple_pc(&tuple), 0x7fffdeadbeef);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(designs_are_read),
        cmocka_unit_test(wrong_designs_are_told_where),
        cmocka_unit_test(paper_hash_is_the_papers),
        cmocka_unit_test(periodic_takes_each_nth),
        cmocka_unit_test(random_and_countdown_have_their_gaps),
        cmocka_unit_test(split_periods_count),
        cmocka_unit_test(bytes_are_samplers),
        cmocka_unit_test(phase_begins_anywhere),
        cmocka_unit_test(associative_loses_nothing),
        cmocka_unit_test(kinds_go_through_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
