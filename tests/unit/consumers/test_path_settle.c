/* Parts of windows that are kept, written, read and searched later give the rows that following
 * their exits at once gives. The code is this program's own. */
#include "consumers/path_pool.h"
#include "consumers/path_settle.h"
#include "consumers/path_walk.h"
#include "profile/batch.h"
#include "profile/sums.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

/* Two ways: past the inc, or through it. */
extern const char forked_begin[], forked_inc[], forked_ret[];
__asm__(".pushsection .text\n"
        ".type forked_begin,@function\n"
        "forked_begin:\n test %edi,%edi\n je forked_ret\n"
        "forked_inc:\n inc %eax\n"
        "forked_ret:\n ret\n"
        ".size forked_begin,.-forked_begin\n"
        ".popsection\n");

enum { PAST, THROUGH, BACK, EXITS, PARTS = 24, LONGEST = 60, EACH_BATCH = 3 };

struct fixture {
    struct profile profile;
    struct mappings mappings;
    struct units units;
};

static void segment_add(struct units *units, const char *start, const char *end, uint16_t n,
                        uint8_t kind, uint8_t last)
{
    struct unit_segment *segment = vec_push(&units->segments);
    *segment = (struct unit_segment){.start = (uint64_t)start,
                                     .bytes = (uint32_t)(end - start),
                                     .instructions = n,
                                     .end = kind,
                                     .last_bytes = last};
    segment->at = mappings_place(units->mappings, (struct avma){segment->start});
}

static void block_add(struct units *units, uint32_t first_segment, uint32_t n, uint32_t first_exit)
{
    *vec_push(&units->superblocks) = (struct superblock){
        .first_segment = first_segment, .n_segments = n, .first_exit = first_exit, .n_exits = n};
    while (units->owner.n < first_exit + n)
        *vec_push(&units->owner) = UNIT_NONE;
    for (uint32_t i = 0; i < n; i++)
        units->owner.at[first_exit + i] = (int32_t)units->superblocks.n - 1;
}

/* Exits have other numbers in each process: these are by so many higher, and the highest is 0. */
static void units_make(struct units *units, uint32_t turned)
{
    segment_add(units, forked_begin, forked_inc, 2, SEGMENT_COND, 2);
    segment_add(units, forked_inc, forked_ret + 1, 2, SEGMENT_RETURN, 1);
    segment_add(units, forked_ret, forked_ret + 1, 1, SEGMENT_RETURN, 1);
    block_add(units, 0, 2, (PAST + turned) % EXITS);
    block_add(units, 2, 1, (BACK + turned) % EXITS);
}

static void fixture_open(struct fixture *fixture)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512], path[400], rights[8];
    profile_init(&fixture->profile);
    fixture->profile.mode = PROFILE_SAMPLED;
    mappings_init(&fixture->mappings, &fixture->profile, (int)getpid());
    while (maps && fgets(line, sizeof line, maps)) {
        struct wire_map map = {0};
        path[0] = 0;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %399s", &map.start,
                   &map.end, rights, &map.offset, path) >= 4 &&
            rights[2] == 'x' && path[0] == '/')
            mappings_add(&fixture->mappings, &map, path);
    }
    assert_non_null(maps);
    fclose(maps);
    units_init(&fixture->units, &fixture->mappings);
    units_make(&fixture->units, 0);
}

static void fixture_close(struct fixture *fixture)
{
    units_release(&fixture->units);
    mappings_release(&fixture->mappings);
    profile_release(&fixture->profile);
}

/* Calls of the function, one after the other, by either way; the one behind them comes last. */
static uint32_t part_make(uint32_t exits[LONGEST + 2], uint64_t *seed)
{
    uint32_t n = 0;
    while (n < LONGEST) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        exits[n++] = *seed >> 62 ? PAST : THROUGH;
        if (exits[n - 1] == PAST)
            exits[n++] = BACK;
    }
    exits[n] = PAST;
    return n;
}

/* Followed at once, a batch at a time; and so all over again. */
static void follow(struct fixture *fixture, uint32_t times)
{
    struct path_book book = {0};
    struct path_walks walks;
    struct path_walk walk = {0};
    struct batch batch;
    uint32_t exits[LONGEST + 2];
    uint64_t seed = 1;
    batch_init(&batch);
    path_walks_init(&walks, &fixture->units, &book, &batch);
    const struct unit_segment *first = &fixture->units.segments.at[0];
    for (uint32_t i = 0; i < times * PARTS; i++) {
        uint32_t part = i % PARTS;
        seed = part ? seed : 1;
        uint32_t n = part_make(exits, &seed);
        path_walk_begin(&walk, 1000 + part, 150);
        path_walk_exits(&walks, &walk, exits, n, &(struct path_end){first->start, first->at, 0});
        if (part % EACH_BATCH != EACH_BATCH - 1)
            continue;
        for (uint32_t k = 0; k < batch.paths.cells.n; k++) {
            if (batch.paths.cells.at[k].count)
                sums_add_batch(table_at(&fixture->profile.paths, map_key(&batch.paths.keys, k)), 0,
                               batch.paths.cells.at[k].count, 5000 + part, 7000 + part);
            batch.paths.cells.at[k] = (struct batch_cell){0};
        }
    }
    path_walk_release(&walk);
    path_walks_release(&walks);
    path_book_release(&book);
    batch_release(&batch);
}

static void keep_of(struct fixture *fixture, const struct units *units, uint32_t turned)
{
    struct path_pool pool;
    uint32_t exits[LONGEST + 2];
    uint64_t seed = 1;
    path_pool_init(&pool, units);
    for (uint32_t part = 0; part < PARTS; part++) {
        uint32_t n = part_make(exits, &seed);
        for (uint32_t i = 0; i <= n; i++)
            exits[i] = (exits[i] + turned) % EXITS;
        path_pool_add(&pool, exits, n, 150, 1000 + part);
        if (part % EACH_BATCH == EACH_BATCH - 1)
            path_pool_close(&pool, 5000 + part, 7000 + part, 0);
    }
    assert_true(path_pool_give(&pool, &fixture->profile.path_parts));
    path_pool_release(&pool);
}

static void keep(struct fixture *fixture)
{
    keep_of(fixture, &fixture->units, 0);
}

static void compare(const struct table *expected, const struct table *got)
{
    assert_true(expected->n >= 3); /* both ways, and how many the function has */
    assert_int_equal(got->n, expected->n);
    for (uint32_t i = 0; i < expected->n; i++) {
        const struct sums *sums = table_find(got, map_key(&expected->keys, i));
        assert_non_null(sums);
        assert_true(sums->count > 0 && sums->count == expected->at[i].count);
        assert_true(sums->count_yy == expected->at[i].count_yy);
        assert_true(sums->count_xy == expected->at[i].count_xy);
    }
}

static void later_is_as_at_once(void **state)
{
    static struct fixture once, later;
    (void)state;
    fixture_open(&once);
    fixture_open(&later);
    follow(&once, 1);
    keep(&later);
    assert_int_equal(later.profile.paths.n, 0);
    assert_int_equal(later.profile.path_parts.n, 1);
    path_settle(&later.profile);
    assert_int_equal(later.profile.path_parts.n, 0);
    compare(&once.profile.paths, &later.profile.paths);
    assert_int_equal(later.profile.series.nodes.n, 1); /* each call is one path: its root alone */
    fixture_close(&once);
    fixture_close(&later);
}

/* What one sheet says of an exit is nothing to the next. */
static void sheets_have_their_own_exits(void **state)
{
    static struct fixture once, later;
    struct units other;
    (void)state;
    fixture_open(&once);
    fixture_open(&later);
    follow(&once, 2);
    units_init(&other, &later.mappings);
    units_make(&other, 1);
    keep(&later);
    keep_of(&later, &other, 1);
    assert_int_equal(later.profile.path_parts.n, 2);
    path_settle(&later.profile);
    compare(&once.profile.paths, &later.profile.paths);
    units_release(&other);
    fixture_close(&once);
    fixture_close(&later);
}

/* The exit behind a part says where its last one went, even if its superblock is in no part. */
static void the_end_of_a_part_is_known(void **state)
{
    static struct fixture fixture;
    struct path_pool pool;
    const uint32_t exits[] = {THROUGH, THROUGH, BACK};
    (void)state;
    fixture_open(&fixture);
    path_pool_init(&pool, &fixture.units);
    for (int i = 0; i < 4; i++) {
        path_pool_add(&pool, exits, 2, 8, 1);
        path_pool_close(&pool, 1, 1, 0);
    }
    assert_true(path_pool_give(&pool, &fixture.profile.path_parts));
    assert_int_equal(fixture.profile.path_parts.at[0].blocks.n, 2);
    path_pool_release(&pool);
    fixture_close(&fixture);
}

/* A part with an exit that belongs to nothing is left out, and no other. */
static void unknown_exits_are_left_out(void **state)
{
    static struct fixture all, some;
    (void)state;
    fixture_open(&all);
    fixture_open(&some);
    keep(&all);
    keep(&some);
    struct path_sheet *sheet = &some.profile.path_parts.at[0];
    sheet->blocks.n = 1; /* of BACK nothing is known: all parts have one, */
    sheet->segments.n = 2;
    path_settle(&some.profile);
    for (uint32_t i = 0; i < some.profile.paths.n; i++)
        assert_int_equal(some.profile.paths.at[i].count, 0);
    path_settle(&all.profile);
    assert_true(all.profile.paths.n >= 3);
    fixture_close(&all);
    fixture_close(&some);
}

static void another_build_has_none(void **state)
{
    static struct fixture later;
    (void)state;
    fixture_open(&later);
    keep(&later);
    for (size_t i = 0; i < later.profile.modules.n; i++) {
        later.profile.modules.at[i].build_id[0] ^= 1;
        later.profile.modules.at[i].build_id_bytes = 20;
    }
    path_settle(&later.profile);
    assert_int_equal(later.profile.paths.n, 0);
    fixture_close(&later);
}

static void damaged_parts_do_no_harm(void **state)
{
    static struct fixture later;
    (void)state;
    fixture_open(&later);
    for (int round = 0; round < 300; round++) {
        keep(&later);
        struct path_sheet *sheet = &later.profile.path_parts.at[0];
        switch (round % 4) {
        case 0: sheet->body.at[(size_t)round % sheet->body.n] = (uint8_t)(round * 37); break;
        case 1: sheet->parts.at[round % PARTS].end = (uint32_t)round; break;
        case 2: sheet->blocks.at[round % 2].first_exit = (uint32_t)round / 40; break;
        case 3: sheet->segments.at[round % 3].at += (uint64_t)round; break;
        }
        path_settle(&later.profile);
        assert_int_equal(later.profile.path_parts.n, 0);
    }
    fixture_close(&later);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_is_as_at_once),        cmocka_unit_test(sheets_have_their_own_exits),
        cmocka_unit_test(the_end_of_a_part_is_known), cmocka_unit_test(unknown_exits_are_left_out),
        cmocka_unit_test(another_build_has_none),     cmocka_unit_test(damaged_parts_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
