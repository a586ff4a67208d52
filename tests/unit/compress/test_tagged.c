/* The tagged table against its rules written down one by one: the same messages, of every choice.
 */
#include "compress/compressor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <stdio.h>

enum { N = 30000 };

static struct tuple tuples[N];
static struct message messages[N];
static struct compressor compressor;

/* Skewed, so that few sets have owners that are told of and many change hands. */
static void stream_make(uint64_t seed)
{
    struct random random = {seed};
    for (size_t i = 0; i < N; i++) {
        uint64_t k = random_below(&random, UINT64_C(1) << (1 + random_below(&random, 11)));
        tuples[i] = (struct tuple){0x401000 + 4 * (k / 3), k * k};
    }
}

/* ---- the rules */

enum state { EMPTY, VALID, EVICT };
struct entry {
    enum state state;
    uint32_t tag, hits, misses;
};
static struct entry entries[1 << HASH_BITS_MAX];

static struct entry *entry_of(const struct design *design, uint32_t set, uint32_t tag, bool *hit)
{
    struct entry *first = &entries[set * design->ways], *victim = first;
    for (struct entry *entry = first; entry < first + design->ways; entry++)
        if (entry->state != EMPTY && entry->tag == tag) {
            *hit = true;
            return entry;
        }
    *hit = false;
    for (struct entry *entry = first; entry < first + design->ways; entry++)
        if (entry->state == EMPTY)
            return entry;
    for (struct entry *entry = first; entry < first + design->ways; entry++)
        if (entry->hits < victim->hits)
            victim = entry;
    return victim;
}

static bool should_evict(const struct design *design, const struct entry *entry)
{
    uint32_t threshold = design->threshold;
    if (entry->hits < threshold / 4 || !entry->hits)
        return false;
    return design->choices.real_quotient ? (double)entry->misses >= (double)threshold / entry->hits
                                         : entry->misses >= threshold / entry->hits;
}

static bool should_replace(const struct entry *entry)
{
    return entry->misses == TAGGED_MISSES_MAX || entry->hits <= 1 ||
           entry->hits < 2 * entry->misses;
}

static uint32_t clamp(const struct design *design, uint32_t hits)
{
    return hits < design->threshold ? hits : design->threshold - 1;
}

static uint64_t hit(const struct design *design, struct entry *entry)
{
    uint64_t told = 0;
    if (entry->state == EVICT && should_evict(design, entry))
        told = entry->hits + !design->choices.told_without;
    else if (entry->hits + 1 == design->threshold)
        told = design->threshold;
    else
        entry->hits++;
    if (told)
        *entry = (struct entry){.state = EMPTY, .hits = entry->misses};
    return told;
}

static void miss(const struct design *design, struct entry *entry, uint32_t tag)
{
    if (entry->state == EMPTY) {
        uint32_t hits = clamp(design, entry->hits + !design->choices.begins_at_0);
        *entry = (struct entry){VALID, tag, hits, 0};
    } else if (entry->state == VALID) {
        entry->state = EVICT;
        entry->misses = 1;
    } else if (should_replace(entry)) {
        uint32_t hits = clamp(design, entry->hits + entry->misses + !design->choices.taken_without);
        *entry = (struct entry){VALID, tag, hits, 0};
    } else {
        entry->misses++;
    }
}

static void follows_the_rules(const char *text, uint64_t seed)
{
    struct design design;
    size_t at = 0, made = 0, n = 0;
    uint64_t held = 0;
    assert_null(design_parse(&design, text, &at));
    for (size_t i = 0; i < (size_t)design.ways << design.bits; i++)
        entries[i] = (struct entry){0};
    compressor_init(&compressor, &design, seed);
    for (size_t i = 0, some; i < N; i += some) { /* pieces of any length */
        some = 1 + i % 37 < N - i ? 1 + i % 37 : N - i;
        made += compressor_take(&compressor, tuples + i, some, messages + made);
    }
    for (size_t i = 0; i < N; i++) {
        bool own;
        uint32_t tag = hash_fold(tuples[i].place ^ tuples[i].value, design.tag_bits);
        struct entry *entry =
            entry_of(&design, hash_index(&compressor.front.tagged.hash, &tuples[i]), tag, &own);
        uint64_t told = own ? hit(&design, entry) : 0;
        if (!own)
            miss(&design, entry, tag);
        if (told) {
            assert_in_range(n, 0, made - 1);
            assert_memory_equal(&messages[n].tuple, &tuples[i], sizeof *tuples);
            assert_int_equal(messages[n++].count, told);
        }
    }
    assert_int_equal(n, made);
    for (size_t i = 0; i < (size_t)design.ways << design.bits; i++)
        held += entries[i].hits + entries[i].misses;
    assert_int_equal(tagged_held(&compressor.front.tagged), held);
}

static void every_choice_follows_the_rules(void **state)
{
    (void)state;
    static const char *const designs[] = {"T2[256]256x2", "T1[16]64x1",       "T2[4]16x2",
                                          "T8[100]128x4", "T3[64]64x8,paper", "T2[32768]8x8"};
    static const char *const choices[] = {"begins-at-0", "told-without", "taken-without",
                                          "real-quotient"};
    for (unsigned i = 0; i < sizeof designs / sizeof *designs; i++) {
        stream_make(i + 1);
        for (unsigned chosen = 0; chosen < 16; chosen++) {
            char text[128];
            int length = snprintf(text, sizeof text, "%s", designs[i]);
            for (unsigned j = 0; j < 4; j++)
                if (chosen >> j & 1)
                    length +=
                        snprintf(text + length, sizeof text - (size_t)length, ",%s", choices[j]);
            follows_the_rules(text, i);
        }
    }
}

/* ---- what they come to */

static void length_is_kept(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 6; seed++) {
        stream_make(seed);
        static const char *const designs[] = {"T2[256]2048x2", "T4[64]256x4", "T1[128]512x1,paper"};
        for (size_t i = 0; i < sizeof designs / sizeof *designs; i++) {
            struct design design;
            size_t at;
            assert_null(design_parse(&design, designs[i], &at));
            compressor_init(&compressor, &design, seed);
            size_t made = compressor_take(&compressor, tuples, N, messages);
            uint64_t sum = tagged_held(&compressor.front.tagged);
            for (size_t k = 0; k < made; k++)
                sum += messages[k].count;
            /* What does not fit below the threshold is all that is lost. */
            assert_in_range(sum, N - N / 100, N);
        }
    }
}

static void entries_change_hands(void **state)
{
    (void)state;
    static struct tagged tagged;
    const struct tagged_choices none = {0};
    tagged_init(&tagged, 0, 1, 8, 16, &none, false, 1);
    struct tuple a = {0, 1}, b = {0, 2};
    struct message message;
    for (int i = 0; i < 3; i++)
        assert_int_equal(tagged_take(&tagged, &a, 1, &message), 0);
    assert_int_equal(tagged_take(&tagged, &b, 1, &message), 0); /* wants it */
    assert_int_equal(tagged_misses(tagged.entries[0]), 1);
    assert_int_equal(tagged_take(&tagged, &a, 1, &message), 0); /* 4 hits, 1 miss: not 16/4 */
    for (int i = 0; i < 3; i++)
        tagged_take(&tagged, &b, 1, &message);
    /* 4 hits, 3 misses: the next time b replaces it, with all counts. */
    assert_int_equal(tagged_hits(tagged.entries[0]), 4 + 3 + 1);
    assert_int_equal(tagged.entries[0] & TAGGED_TAG_MASK, 2 + 1);
    for (int i = 0; i < 7; i++)
        assert_int_equal(tagged_take(&tagged, &b, 1, &message), 0);
    assert_int_equal(tagged_take(&tagged, &b, 1, &message), 1);
    assert_int_equal(message.count, 16);
    assert_int_equal(message.tuple.value, 2);
    assert_int_equal(tagged_state(tagged.entries[0]), TAGGED_FREE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_choice_follows_the_rules),
        cmocka_unit_test(length_is_kept),
        cmocka_unit_test(entries_change_hands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
