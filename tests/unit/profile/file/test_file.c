#include "some_profile.h"

#include "profile/file/encode.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

static char folder[] = "/tmp/gait-test-file.XXXXXX";
static char path[64], path_old[72];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/p", folder);
    snprintf(path_old, sizeof path_old, "%s.old", path);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    unlink(path_old);
    return rmdir(folder);
}

static void encode(struct bytes *ret_bytes, const struct profile *profile, bool compress)
{
    struct encoder encoder = {.zstd = compress ? ZSTD_createCCtx() : NULL};
    encode_whole(&encoder, profile, NULL);
    *ret_bytes = encoder.out;
    encoder.out = (struct bytes){0};
    ZSTD_freeCCtx(encoder.zstd);
    encoder_release(&encoder);
}

static void slurp(struct bytes *ret_bytes, const char *name)
{
    struct bytes bytes = {0};
    int fd = open(name, O_RDONLY);
    assert_true(fd >= 0);
    char buffer[4096];
    ssize_t n;
    while ((n = read(fd, buffer, sizeof buffer)) > 0)
        bytes_add(&bytes, buffer, (size_t)n);
    close(fd);
    *ret_bytes = bytes;
}

static void assert_same_bytes(const struct bytes *a, const struct bytes *b)
{
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->at, b->at, a->n);
}

static void assert_encodes_the_same(const struct profile *a, const struct profile *b)
{
    struct bytes x, y;
    encode(&x, a, true);
    encode(&y, b, true);
    assert_same_bytes(&x, &y);
    vec_release(&x);
    vec_release(&y);
}

static void read_back(const struct bytes *bytes, struct profile *ret_profile)
{
    struct err err = {0};
    if (!profile_read_bytes("memory", bytes->at, bytes->n, ret_profile, &err))
        fail_msg("%s", err.text);
}

/* ---- whole files */

static void what_was_written_is_read(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 120; seed++) {
        some_state = seed;
        struct profile profile, back;
        some_profile(&profile, (enum profile_mode)(seed % 3), seed % 40);
        struct bytes bytes;
        encode(&bytes, &profile, seed & 1);
        read_back(&bytes, &back);
        assert_same_profile(&profile, &back);
        assert_null(back.warning);
        assert_encodes_the_same(&profile, &back);
        profile_release(&profile);
        profile_release(&back);
        vec_release(&bytes);
    }
}

static void large_tables_span_chunks(void **state)
{
    (void)state;
    struct profile profile, back;
    struct bytes bytes;
    some_profile(&profile, PROFILE_SAMPLED, 60000);
    for (int compress = 0; compress < 2; compress++) {
        encode(&bytes, &profile, compress);
        assert_true(bytes.n > 3 << 20);
        read_back(&bytes, &back);
        assert_same_profile(&profile, &back);
        profile_release(&back);
        vec_release(&bytes);
    }
    profile_release(&profile);
}

static void a_file_is_private_and_moves_the_old_one(void **state)
{
    (void)state;
    struct err err;
    struct profile first, second, back;
    struct stat stat_of;
    some_profile(&first, PROFILE_SAMPLED, 50);
    some_profile(&second, PROFILE_SAMPLED, 50);
    assert_true(profile_write(path, &first, &err));
    assert_true(profile_write(path, &second, &err));
    assert_int_equal(stat(path, &stat_of), 0);
    assert_int_equal(stat_of.st_mode & 07777, 0600);
    assert_true(profile_read(path, &back, &err));
    assert_same_profile(&second, &back);
    profile_release(&back);
    assert_true(profile_read(path_old, &back, &err));
    assert_same_profile(&first, &back);
    profile_release(&back);
    profile_release(&first);
    profile_release(&second);
}

/* ---- merging */

static void merge(struct profile *into, const struct profile *other)
{
    struct err err;
    assert_true(profile_merge(into, other, &err));
}

/* A copy: merging changes its left side. */
static void copy(struct profile *ret_copy, const struct profile *profile)
{
    struct bytes bytes;
    encode(&bytes, profile, false);
    read_back(&bytes, ret_copy);
    vec_release(&bytes);
}

static void merging_is_associative_and_commutative(void **state)
{
    (void)state;
    for (uint64_t seed = 1000; seed < 1060; seed++) {
        some_state = seed;
        enum profile_mode mode = (enum profile_mode)(seed % 3);
        struct profile a, b, c, left, right, back;
        some_profile(&a, mode, 20);
        some_profile(&b, mode, 20);
        some_profile(&c, mode, 20);
        copy(&left, &a); /* (a + b) + c */
        merge(&left, &b);
        merge(&left, &c);
        copy(&right, &b); /* a + (b + c) */
        merge(&right, &c);
        copy(&back, &a);
        merge(&back, &right);
        assert_encodes_the_same(&left, &back);
        profile_release(&back);
        copy(&back, &c); /* c + (b + a), by way of b + a */
        merge(&b, &a);
        merge(&back, &b);
        assert_encodes_the_same(&left, &back);
        profile_release(&back);
        profile_release(&left);
        profile_release(&right);
        profile_release(&a);
        profile_release(&b);
        profile_release(&c);
    }
}

static void merging_adds(void **state)
{
    (void)state;
    struct profile a, b;
    profile_init(&a);
    profile_init(&b);
    profile_module(&b, "/other", NULL, 0);
    struct range_key in_a = {.module = profile_module(&a, "/m", NULL, 0), .start = {7}};
    struct range_key in_b = {.module = profile_module(&b, "/m", NULL, 0), .start = {7}};
    assert_int_not_equal(in_a.module, in_b.module);
    table_at(&a.ranges, &in_a)->count = 40;
    table_at(&b.ranges, &in_b)->count = 2;
    table_at(&b.ranges, &in_b)->time_xy = (u128)1 << 100;
    a.totals.losses[LOSS_cut] = UINT64_MAX - 1;
    b.totals.losses[LOSS_cut] = 5;
    merge(&a, &b);
    assert_int_equal(a.modules.n, 2);
    assert_int_equal(table_find(&a.ranges, &in_a)->count, 42);
    assert_true(table_find(&a.ranges, &in_a)->time_xy == (u128)1 << 100);
    assert_true(a.totals.losses[LOSS_cut] == UINT64_MAX);
    struct err err;
    b.mode = PROFILE_SAMPLED;
    assert_false(profile_merge(&a, &b, &err));
    assert_string_equal(err.text, "exact and sampled profiles cannot be merged");
    profile_release(&a);
    profile_release(&b);
}

static void merged_commands_are_a_sorted_set(void **state)
{
    (void)state;
    struct profile a, b;
    profile_init(&a);
    profile_init(&b);
    a.command = arena_string(&a.arena, "z\nsh -c 'echo b\necho '\\''a'");
    b.command = arena_string(&b.arena, "m\nz");
    merge(&a, &b);
    assert_string_equal(a.command, "m\nsh -c 'echo b\necho '\\''a'\nz");
    profile_release(&a);
    profile_release(&b);
}

/* ---- growing files */

static struct profile_writer *open_writer(const struct profile *head)
{
    struct err err = {0};
    struct profile_writer *writer;
    if (!profile_writer_open(path, head, &writer, &err))
        fail_msg("%s", err.text);
    return writer;
}

static void appended_deltas_equal_one_write(void **state)
{
    (void)state;
    struct err err = {0};
    some_names_agree = true;
    for (uint64_t seed = 2000; seed < 2004; seed++) {
        some_state = seed;
        enum profile_mode mode = seed % 2 ? PROFILE_PLAIN : PROFILE_SAMPLED;
        struct profile head, total, back;
        some_profile(&head, mode, 0);
        copy(&total, &head);
        struct profile_writer *writer = open_writer(&head);
        uint64_t largest = 0;
        for (int i = 0; i < 40; i++) {
            struct profile delta;
            some_profile(&delta, mode, 40);
            delta.command = NULL;
            delta.start_unix_ns = 0;
            merge(&total, &delta);
            assert_true(profile_writer_append(writer, &delta, &err));
            profile_release(&delta);
            /* Reading takes as long as all appends before it. */
            if (i < 6 || i % 7 == 0) {
                assert_true(profile_read(path, &back, &err));
                assert_null(back.warning);
                total.complete = false;
                assert_same_profile(&total, &back);
                profile_release(&back);
            }
            struct stat stat_of;
            assert_int_equal(stat(path, &stat_of), 0);
            if ((uint64_t)stat_of.st_size > largest)
                largest = (uint64_t)stat_of.st_size;
        }
        assert_true(profile_writer_close(writer, &err));
        total.complete = true;
        struct bytes grown, whole;
        slurp(&grown, path);
        encode(&whole, &total, true);
        assert_same_bytes(&grown, &whole);
        vec_release(&grown);
        vec_release(&whole);
        profile_release(&head);
        profile_release(&total);
    }
    some_names_agree = false;
}

/* A recorder's own delta is cleared after each append and used again. */
static void a_cleared_delta_is_appended_again(void **state)
{
    (void)state;
    struct err err = {0};
    struct profile delta, total, back;
    some_profile(&total, PROFILE_PLAIN, 0);
    profile_init(&delta);
    delta.mode = PROFILE_PLAIN;
    for (size_t i = 0; i < total.modules.n; i++)
        profile_module(&delta, total.modules.at[i].path, total.modules.at[i].build_id,
                       total.modules.at[i].build_id_bytes);
    some_names_agree = true;
    struct profile_writer *writer = open_writer(&total);
    for (int i = 0; i < 10; i++) {
        profile_clear(&delta);
        some_plain(&delta, 30);
        some_totals(&delta.totals);
        merge(&total, &delta);
        assert_true(profile_writer_append(writer, &delta, &err));
    }
    some_names_agree = false;
    total.complete = true;
    assert_true(profile_writer_close(writer, &err));
    assert_true(profile_read(path, &back, &err));
    assert_same_profile(&total, &back);
    profile_release(&back);
    profile_release(&total);
    profile_release(&delta);
}

/* Of what a recording says of one start, the last counts, through appends and rewrites. */
static void the_later_name_of_a_recording_counts(void **state)
{
    (void)state;
    struct err err = {0};
    struct profile delta, back;
    profile_init(&delta);
    delta.mode = PROFILE_PLAIN;
    uint32_t jit = profile_module_jit(&delta, 5);
    struct profile_writer *writer = open_writer(&delta);
    static const char *const texts[] = {"zebra", "old", "new"};
    for (int i = 0; i < 3; i++) {
        profile_clear(&delta);
        names_add(&delta.names, &delta.arena, jit, 0x1000, 0x100 - (uint64_t)i, texts[i]);
        assert_true(profile_writer_append(writer, &delta, &err));
        if (i == 1)
            assert_string_equal(profile_writer_total(writer)->names.at[0].text, "old");
    }
    assert_true(profile_read(path, &back, &err));
    assert_int_equal(back.names.n, 1);
    assert_string_equal(back.names.at[0].text, "new");
    assert_int_equal(back.names.at[0].bytes, 0xfe);
    profile_release(&back);
    assert_true(profile_writer_close(writer, &err));
    assert_true(profile_read(path, &back, &err));
    assert_string_equal(back.names.at[0].text, "new");
    profile_release(&back);
    profile_release(&delta);
}

/* A tree of several chunks, and paths as deep as can be: the frames below are not kept, their
 * weight is. */
static void large_trees_span_chunks(void **state)
{
    (void)state;
    struct profile profile, back;
    struct bytes bytes;
    profile_init(&profile);
    profile.mode = PROFILE_PLAIN;
    uint32_t module = profile_module(&profile, "/m", NULL, 0);
    struct stacks *stacks = &profile.stacks;
    uint32_t node = stacks_node(stacks, STACK_NONE, MODULE_NONE, stack_thread(1, 1));
    for (uint64_t i = 0; i < 5000; i++)
        node = stacks_node(stacks, node, module, i * 0x123456789);
    assert_int_equal(stacks->nodes.n, STACK_DEPTH_MAX);
    assert_int_equal(node, STACK_DEPTH_MAX - 1);
    stacks_add(stacks, node, 31, 77);
    uint32_t deep = stacks_key(stacks, node).parent;
    for (uint64_t i = 0; i < 100000; i++) {
        uint32_t leaf = stacks_node(stacks, deep, module, some_bits());
        stacks_add(stacks, leaf, (uint32_t)i % STACK_GROUPS, some_bits());
        stacks_add(stacks, deep, (uint32_t)i % STACK_GROUPS, 1);
    }
    encode(&bytes, &profile, false);
    assert_true(bytes.n > 2 << 20);
    read_back(&bytes, &back);
    assert_same_profile(&profile, &back);
    assert_encodes_the_same(&profile, &back);
    vec_release(&bytes);
    profile_release(&back);
    profile_release(&profile);
}

/* The same keys over and over: the file must stay near twice one delta, not grow with time. */
static void a_growing_file_is_bounded(void **state)
{
    (void)state;
    struct err err = {0};
    struct profile delta;
    some_profile(&delta, PROFILE_SAMPLED, 300);
    struct profile_writer *writer = open_writer(&delta);
    struct bytes one;
    encode(&one, &delta, false);
    for (int i = 0; i < 400; i++) {
        struct stat stat_of;
        assert_true(profile_writer_append(writer, &delta, &err));
        assert_int_equal(stat(path, &stat_of), 0);
        assert_true((uint64_t)stat_of.st_size < 3 * one.n + (8 << 20));
        assert_int_equal(stat_of.st_mode & 07777, 0600);
    }
    struct range_key key = *(const struct range_key *)map_key(&delta.ranges.keys, 0);
    assert_int_equal(table_find(&profile_writer_total(writer)->ranges, &key)->count,
                     401 * delta.ranges.at[0].count);
    assert_true(profile_writer_close(writer, &err));
    vec_release(&one);
    profile_release(&delta);
}

static void an_abandoned_file_is_readable_but_not_complete(void **state)
{
    (void)state;
    struct err err = {0};
    struct profile delta, back;
    some_profile(&delta, PROFILE_EXACT, 30);
    struct profile_writer *writer = open_writer(&delta);
    profile_writer_abandon(writer);
    assert_true(profile_read(path, &back, &err));
    assert_false(back.complete);
    delta.complete = false;
    assert_same_profile(&delta, &back);
    profile_release(&back);
    profile_release(&delta);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(large_tables_span_chunks),
        cmocka_unit_test(a_file_is_private_and_moves_the_old_one),
        cmocka_unit_test(merging_is_associative_and_commutative),
        cmocka_unit_test(merging_adds),
        cmocka_unit_test(merged_commands_are_a_sorted_set),
        cmocka_unit_test(appended_deltas_equal_one_write),
        cmocka_unit_test(a_cleared_delta_is_appended_again),
        cmocka_unit_test(the_later_name_of_a_recording_counts),
        cmocka_unit_test(large_trees_span_chunks),
        cmocka_unit_test(a_growing_file_is_bounded),
        cmocka_unit_test(an_abandoned_file_is_readable_but_not_complete),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
