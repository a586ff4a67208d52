/* What a profile keeps of this very program answers like the program's file does. */
#include "base/err.h"
#include "keep/fields.h"
#include "keep/gather.h"
#include "keep/gather_ahead.h"
#include "keep/kept_function.h"
#include "keep/kept_image.h"
#include "keep/kept_module.h"
#include "keep/module_open.h"
#include "profile/places.h"
#include "profile/profile.h"
#include "program/binary.h"
#include "program/elf/image.h"
#include "program/source.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* Last: it wants what is above. */
#include <cmocka.h>

struct own {
    struct binary binary;
    struct profile profile;
    struct places places;
};

static void own_open(struct own *own)
{
    struct err err;
    char path[4096];
    *own = (struct own){0};
    assert_non_null(realpath("/proc/self/exe", path));
    assert_true(binary_open(&own->binary, path, &err));
    profile_init(&own->profile);
    own->profile.mode = PROFILE_SAMPLED;
    profile_module(&own->profile, path, own->binary.image.build_id,
                   own->binary.image.build_id_bytes);
}

static void own_close(struct own *own)
{
    binary_close(&own->binary);
    profile_release(&own->profile);
    places_release(&own->places);
}

/* Every third function of the program is marked in its middle; returns what was kept. */
static void own_keep(struct own *own, struct keep_result *ret)
{
    const struct symbols *symbols = &own->binary.symbols;
    for (size_t i = 0; i < symbols->ranges.n; i += 3)
        places_mark(&own->places, 0,
                    symbols->ranges.at[i].start.v + symbols->ranges.at[i].bytes / 2, PLACE_RAN);
    gather(ret, &own->profile, &own->places, (struct gather_wish){0}, NULL);
    for (size_t i = 0; i < ret->kept.n; i++)
        kept_add(&own->profile.kept, &own->profile.arena, &ret->kept.at[i]);
    kept_sort(&own->profile.kept);
}

static void same_text(const char *x, const char *y)
{
    assert_true(!x == !y);
    if (x)
        assert_string_equal(x, y);
}

static void same_frames(struct binary *x, struct binary *y, uint64_t at)
{
    enum { ROOM = 32 };
    struct source_frame xs[ROOM], ys[ROOM];
    size_t n = source_frames(x, (struct svma){at}, xs, ROOM);
    assert_int_equal(n, source_frames(y, (struct svma){at}, ys, ROOM));
    for (size_t i = 0; i < n && i < ROOM; i++) {
        same_text(xs[i].linkage, ys[i].linkage);
        same_text(xs[i].file, ys[i].file);
        assert_int_equal(xs[i].line, ys[i].line);
        assert_int_equal(xs[i].column, ys[i].column);
        assert_int_equal(xs[i].discriminator, ys[i].discriminator);
    }
}

static void function_compare(struct own *own, struct binary *kept, uint32_t range)
{
    const struct symbols *symbols = &own->binary.symbols;
    function_id f = symbols->ranges.at[range].function;
    function_id g = symbols_find(&kept->symbols, symbols->ranges.at[range].start);
    assert_int_not_equal(g, FUNCTION_NONE);
    const struct function *x = &symbols->functions.at[f], *y = &kept->symbols.functions.at[g];
    assert_string_equal(x->name, y->name);
    assert_int_equal(x->start.v, y->start.v);
    assert_int_equal(x->source, y->source);
    uint32_t a = x->first_range, b = y->first_range;
    for (; a != RANGE_NONE && b != RANGE_NONE;
         a = symbols->ranges.at[a].next, b = kept->symbols.ranges.at[b].next) {
        struct svma start = symbols->ranges.at[a].start;
        uint64_t bytes = symbols->ranges.at[a].bytes;
        size_t room;
        assert_int_equal(start.v, kept->symbols.ranges.at[b].start.v);
        assert_int_equal(bytes, kept->symbols.ranges.at[b].bytes);
        assert_memory_equal(image_bytes(&own->binary.image, start, &room),
                            image_bytes(&kept->image, start, &room), bytes);
        for (uint64_t at = 0; at < bytes; at += 3)
            same_frames(&own->binary, kept, start.v + at);
    }
    assert_int_equal(a, b);
}

static void test_answers_alike(void **state)
{
    struct own own;
    struct keep_result result;
    struct image image;
    struct binary kept;
    struct err err;
    (void)state;
    own_open(&own);
    own_keep(&own, &result);
    assert_true(kept_image_there(&own.profile, 0));
    assert_true(kept_image_open(&image, &own.profile, 0, false, NULL, &err));
    binary_open_image(&kept, image);
    assert_true(kept.symbols.functions.n < own.binary.symbols.functions.n);
    for (uint32_t i = 0; i < own.binary.symbols.ranges.n; i += 3)
        function_compare(&own, &kept, i);
    binary_close(&kept);
    keep_result_release(&result);
    own_close(&own);
}

/* What a local file is compared with: names and lines of a build with both, and none of what was
 * not kept, or makes no sense. */
static void test_knows_what_it_keeps(void **state)
{
    struct own own;
    struct keep_result result;
    (void)state;
    own_open(&own);
    struct kept_knowledge knows = kept_image_knows(&own.profile, 0);
    assert_false(knows.names || knows.symbols || knows.lines);
    own_keep(&own, &result);
    struct kept_parts *kept = &own.profile.kept;
    knows = kept_image_knows(&own.profile, 0);
    assert_true(knows.names && knows.symbols && knows.lines);
    size_t all = kept->n, heads = 0;
    while (kept->at[heads].kind == KEPT_MODULE)
        heads++;
    assert_in_range(heads, 1, all - 1);
    kept->n = heads; /* of no function, so no lines */
    knows = kept_image_knows(&own.profile, 0);
    assert_true(knows.names && knows.symbols && !knows.lines);
    kept->n = all;
    kept->at[0].n = 1; /* cut */
    knows = kept_image_knows(&own.profile, 0);
    assert_false(knows.names || knows.symbols || knows.lines);
    keep_result_release(&result);
    own_close(&own);
}

static void test_file_first_then_kept(void **state)
{
    struct own own;
    struct keep_result result;
    struct binary binary;
    struct arena arena = {0};
    const char *missing;
    (void)state;
    own_open(&own);
    own_keep(&own, &result);
    assert_true(module_open(&binary, &own.profile, 0, &arena, &missing));
    assert_null(binary.image.known);
    binary_close(&binary);
    /* Another build is never used, what was kept is; and nothing, if nothing was. */
    own.profile.modules.at[0].build_id[0] ^= 1;
    assert_true(module_open(&binary, &own.profile, 0, &arena, &missing));
    assert_non_null(binary.image.known);
    binary_close(&binary);
    own.profile.kept.n = 0;
    assert_false(module_open(&binary, &own.profile, 0, &arena, &missing));
    assert_non_null(strstr(missing, "is not the build that ran"));
    arena_release(&arena);
    keep_result_release(&result);
    own_close(&own);
}

/* Every byte of every part wrong once: nothing worse than a part that is left out. */
static void test_damaged_parts(void **state)
{
    struct own own;
    struct keep_result result;
    struct image image;
    struct err err;
    (void)state;
    own_open(&own);
    own_keep(&own, &result);
    size_t n = 0;
    for (size_t i = 0; i < own.profile.kept.n; i++) {
        struct kept_part *part = &own.profile.kept.at[i];
        uint8_t *bytes = malloc(part->n);
        const uint8_t *whole = part->bytes;
        memcpy(bytes, whole, part->n);
        part->bytes = bytes;
        for (size_t at = 0; at < part->n; at += 1 + part->n / 3) {
            bytes[at] ^= 0xff;
            if (n++ < 300 && kept_image_open(&image, &own.profile, 0, false, NULL, &err)) {
                struct binary binary;
                binary_open_image(&binary, image);
                binary_lines(&binary);
                binary_inlines(&binary);
                binary_close(&binary);
            }
            bytes[at] ^= 0xff;
        }
        part->bytes = whole;
        free(bytes);
    }
    assert_true(n > 10);
    keep_result_release(&result);
    own_close(&own);
}

static void test_function_whole_or_not(void **state)
{
    struct kept_function function = {.start = 0x1000, .name = "f", .has_lines = true}, again = {0};
    struct bytes bytes = {0};
    struct arena arena = {0};
    struct err err;
    (void)state;
    *vec_push(&function.ranges) = (struct kept_range){0x1000, 16, NULL};
    *vec_push(&function.ranges) = (struct kept_range){0x900, 8, NULL};
    *vec_push(&function.files) = "/a/b.c";
    *vec_push(&function.names) = "g";
    *vec_push(&function.lines) = (struct kept_line){0x1000, 1, 7, 3, 0};
    *vec_push(&function.lines) = (struct kept_line){0x904, 0, 0, 0, 0};
    *vec_push(&function.nodes) = (struct kept_node){0, 0, 5, 0, 0, 0, 0};
    *vec_push(&function.nodes) = (struct kept_node){1, 1, 2, 1, 9, 4, 1};
    *vec_push(&function.spans) = (struct kept_span){0x1000, 2};
    kept_function_encode(&function, &bytes);
    assert_true(kept_function_decode(&again, &arena, 0x1000, bytes.at, bytes.n, &err));
    assert_int_equal(again.ranges.at[1].start, 0x900);
    assert_int_equal(again.lines.at[1].start, 0x904);
    assert_int_equal(again.nodes.at[1].call_line, 9);
    assert_string_equal(again.names.at[0], "g");
    for (size_t n = 0; n < bytes.n; n++)
        assert_false(kept_function_decode(&again, &arena, 0x1000, bytes.at, n, &err));
    kept_function_release(&function);
    kept_function_release(&again);
    vec_release(&bytes);
    arena_release(&arena);
}

static void test_longer_part_wins(void **state)
{
    struct kept_parts kept = {0};
    struct arena arena = {0};
    const char *texts[] = {"name", "name and lines", "name"};
    (void)state;
    for (size_t i = 0; i < 3; i++)
        kept_add(&kept, &arena,
                 &(struct kept_part){.module = 1,
                                     .kind = KEPT_FUNCTION,
                                     .at = 16,
                                     .n = strlen(texts[i]),
                                     .bytes = (const uint8_t *)texts[i]});
    kept_sort(&kept);
    assert_int_equal(kept.n, 1);
    assert_memory_equal(kept.at[0].bytes, "name and lines", 14);
    vec_release(&kept);
    arena_release(&arena);
}

/* Reading ahead of the end, with what was known then, and lines later than names, keeps the same.
 */
static void ahead_keeps_the_same(struct gather_wish first, struct gather_wish last)
{
    struct own own;
    struct keep_result at_once, ahead_of_it;
    struct numbering in_file = {0};
    *vec_push(&in_file) = 0;
    own_open(&own);
    const struct code_ranges *ranges = &own.binary.symbols.ranges;
    struct gather_ahead *ahead = gather_ahead_start(first);
    assert_non_null(ahead);
    for (size_t i = 0; i < ranges->n; i += 7) {
        places_mark(&own.places, 0, ranges->at[i].start.v, i % 3 ? PLACE_RAN : PLACE_CALLER);
        if (i % 77 == 0) /* most come while it is at work, and are not looked at */
            gather_ahead_tell(ahead,
                              &(struct gather_news){&own.profile, &own.places, &in_file, UINT64_MAX,
                                                    i < ranges->n / 2 ? first.lines : last.lines});
    }
    while (!gather_ahead_ns(ahead))
        sched_yield();
    gather_ahead_stop(ahead);
    gather(&ahead_of_it, &own.profile, &own.places, last, ahead);
    gather_ahead_release(ahead);
    gather(&at_once, &own.profile, &own.places, last, NULL);
    assert_int_equal(at_once.without_lines, ahead_of_it.without_lines);
    assert_true(at_once.kept.n > 10);
    assert_int_equal(at_once.kept.n, ahead_of_it.kept.n);
    for (size_t i = 0; i < at_once.kept.n; i++) {
        const struct kept_part *x = &at_once.kept.at[i], *y = &ahead_of_it.kept.at[i];
        assert_int_equal(x->kind, y->kind);
        assert_int_equal(x->at, y->at);
        assert_int_equal(x->n, y->n);
        assert_memory_equal(x->bytes, y->bytes, x->n);
    }
    keep_result_release(&at_once);
    keep_result_release(&ahead_of_it);
    own_close(&own);
}

static void test_ahead_keeps_the_same(void **state)
{
    (void)state;
    ahead_keeps_the_same((struct gather_wish){0}, (struct gather_wish){0});
    ahead_keeps_the_same((struct gather_wish){1, 1, false, 0},
                         (struct gather_wish){1, 1, false, 0});
    ahead_keeps_the_same((struct gather_wish){1, 1, false, 0},
                         (struct gather_wish){1, 1000, false, 0});
}

/* How many of some functions have code, if each was sampled at so many places. */
static size_t sampled_functions_with_code(unsigned places, unsigned patience)
{
    struct own own;
    struct keep_result result;
    size_t with_code = 0;
    own_open(&own);
    const struct code_ranges *ranges = &own.binary.symbols.ranges;
    for (size_t i = 0; i < ranges->n; i++)
        for (unsigned k = 0; ranges->at[i].bytes > 100 && i % 5 == 0 && k < places; k++)
            places_mark(&own.places, 0, ranges->at[i].start.v + 32 + (uint64_t)32 * k, PLACE_ONCE);
    gather(&result, &own.profile, &own.places, (struct gather_wish){patience, 1, true, 0}, NULL);
    for (size_t i = 0; i < result.kept.n; i++)
        with_code += result.kept.at[i].kind == KEPT_FUNCTION && result.kept.at[i].code_n;
    assert_true(result.kept.n > 10);
    keep_result_release(&result);
    own_close(&own);
    return with_code;
}

static void test_one_sample_keeps_no_code(void **state)
{
    (void)state;
    assert_int_equal(sampled_functions_with_code(1, 1), 0);
    assert_true(sampled_functions_with_code(2, 1) > 10);
    assert_true(sampled_functions_with_code(1, 0) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers_alike),
        cmocka_unit_test(test_knows_what_it_keeps),
        cmocka_unit_test(test_ahead_keeps_the_same),
        cmocka_unit_test(test_file_first_then_kept),
        cmocka_unit_test(test_damaged_parts),
        cmocka_unit_test(test_function_whole_or_not),
        cmocka_unit_test(test_longer_part_wins),
        cmocka_unit_test(test_one_sample_keeps_no_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
