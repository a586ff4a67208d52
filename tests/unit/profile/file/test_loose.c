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

/* `tame`: all addresses are low, as those of files. */
static void some_exact(struct profile *profile, bool tame)
{
    profile_init(profile);
    profile->mode = PROFILE_EXACT;
    some_modules(profile);
    for (uint64_t n = some_below(300); n; n--) {
        struct edge_key edge = {.from_module = some_module(profile),
                                .to_module = some_module(profile),
                                .from = {tame ? some_below(1 << 20) : some_address()},
                                .to = {tame ? some_below(1 << 20) : some_address()},
                                .kind = some_below(EDGE_KINDS)};
        if (edge.kind == EDGE_RETURN)
            edge.from_module = MODULE_NONE, edge.from.v = 0;
        table_at(&profile->edges, &edge)->count = some_number() >> 8;
        uint64_t start = tame ? some_below(1 << 20) : some_address();
        struct range_key range = {.module = some_module(profile),
                                  .instructions = (uint32_t)some_below(64),
                                  .start = {start},
                                  .last = {tame ? start + some_below(100) : some_address()}};
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
        struct profile tables, loose, merged, both;
        struct err err;
        some_exact(&tables, round % 2);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loose_rows_are_written_like_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
