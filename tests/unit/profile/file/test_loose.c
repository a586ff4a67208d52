/* Loose rows, against the tables that they stand for: equal bytes. */
#include "some_profile.h"

#include "profile/file/encode.h"

static void modules_copy(struct profile *to, const struct profile *from)
{
    for (size_t i = 0; i < from->modules.n; i++) {
        const struct module *module = &from->modules.at[i];
        profile_module(to, module->path, module->build_id, module->build_id_bytes);
    }
}

/* Takes one profile's edges and ranges apart: each row in up to three parts, in any order. */
static void take_apart(struct loose_rows *to, const struct profile *from)
{
    for (unsigned part = 0; part < 3; part++) {
        for (uint32_t i = (uint32_t)from->edges.n; i-- > 0;) {
            struct loose_edge *edge = vec_push(&to->edges);
            memcpy(&edge->key, map_key(&from->edges.keys, i), sizeof edge->key);
            uint64_t third = from->edges.at[i].count / 3;
            edge->count = part ? third : from->edges.at[i].count - 2 * third;
        }
        for (uint32_t i = 0; i < from->ranges.n; i++) {
            struct loose_range *range = vec_push(&to->ranges);
            memcpy(&range->key, map_key(&from->ranges.keys, i), sizeof range->key);
            range->count = part == 1 ? from->ranges.at[i].count : 0;
        }
    }
}

/* Addresses are below a limit, as those of files; 0: any address. */
static uint64_t below(uint64_t limit)
{
    return limit ? some_below(limit) : some_address();
}

static void some_exact(struct profile *profile, uint64_t n, uint64_t limit)
{
    profile_init(profile);
    profile->mode = PROFILE_EXACT;
    some_modules(profile);
    for (; n; n--) {
        struct edge_key edge = {.from_module = some_module(profile),
                                .to_module = some_module(profile),
                                .from = {below(limit)},
                                .to = {below(limit)},
                                .kind = some_below(EDGE_KINDS)};
        if (edge.kind == EDGE_RETURN)
            edge.from_module = MODULE_NONE, edge.from.v = 0;
        table_at(&profile->edges, &edge)->count = some_number() >> 8;
        uint64_t start = below(limit);
        struct range_key range = {.module = some_module(profile),
                                  .instructions = (uint32_t)some_below(64),
                                  .start = {start},
                                  .last = {limit ? start + some_below(limit) : some_address()}};
        table_at(&profile->ranges, &range)->count = some_number() >> 8;
    }
}

static void expect_equal(const struct profile *tables, const struct profile *loose)
{
    struct encoder a = {0}, b = {0};
    encode_whole(&a, tables, NULL);
    encode_whole(&b, loose, NULL);
    assert_int_equal(a.out.n, b.out.n);
    assert_memory_equal(a.out.at, b.out.at, a.out.n);
    assert_int_equal(a.rows[TABLE_EDGES], b.rows[TABLE_EDGES]);
    assert_int_equal(a.rows[TABLE_RANGES], b.rows[TABLE_RANGES]);
    encoder_release(&a);
    encoder_release(&b);
}

static void loose_rows_are_written_like_tables(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        /* Rows that are neighbours; usual ones; such whose integers just fit into a word, or not.
         */
        const uint64_t limits[] = {0, 4, 1 << 20, UINT64_C(1) << (22 + round % 10)};
        struct profile tables, loose, merged, both;
        struct err err;
        some_exact(&tables, some_below(300), limits[round % 4]);
        profile_init(&loose);
        loose.mode = PROFILE_EXACT;
        modules_copy(&loose, &tables);
        take_apart(&loose.loose, &tables);
        expect_equal(&tables, &loose);

        profile_init(&merged);
        merged.mode = PROFILE_EXACT;
        assert_true(profile_merge(&merged, &loose, &err));
        expect_equal(&tables, &merged);

        /* Some rows in tables, the same ones loose. */
        profile_init(&both);
        both.mode = PROFILE_EXACT;
        assert_true(profile_merge(&both, &tables, &err));
        assert_true(profile_merge(&merged, &tables, &err));
        modules_copy(&both, &tables);
        take_apart(&both.loose, &tables);
        expect_equal(&merged, &both);
        profile_release(&tables);
        profile_release(&loose);
        profile_release(&merged);
        profile_release(&both);
    }
}

/* In more than one chunk. */
static void many_rows(void **state)
{
    struct profile tables, loose;
    (void)state;
    some_exact(&tables, 100000, 1 << 20);
    profile_init(&loose);
    loose.mode = PROFILE_EXACT;
    modules_copy(&loose, &tables);
    take_apart(&loose.loose, &tables);
    expect_equal(&tables, &loose);
    profile_release(&tables);
    profile_release(&loose);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loose_rows_are_written_like_tables),
        cmocka_unit_test(many_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
