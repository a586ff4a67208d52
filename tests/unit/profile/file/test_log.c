/* The log of batches: what was written is read, in files that grow and in whole ones; the tables of
 * a part of the run are those of its batches. */
#include "some_profile.h"

#include "profile/batch.h"
#include "profile/file/encode.h"
#include "profile/no_values.h"
#include "profile/part.h"

#include <unistd.h>

enum { MS = 1000000 };
#define START ((uint64_t)1700000000000000000)

static char path[] = "/tmp/gait-test-log.XXXXXX", old[sizeof path + 4];

static struct edge_key edge_of(uint64_t key)
{
    return (struct edge_key){0, 0, {key * 4}, {key * 8}, EDGE_TAKEN};
}

static struct value_key value_of(uint64_t value, uint32_t all)
{
    return (struct value_key){0, 1 | all, 0x1000, value, MODULE_NONE, MODULE_NONE, 0};
}

/* Each fourth batch has the values, and a cache line, of itself and of those before it. */
static uint64_t secret = 0x5ec2e7;
static void batch_add_values(struct batch *batch, size_t i)
{
    if (i % 4 != 3)
        return;
    struct value_key value = value_of(secret + i / 4, 0), all = value_of(0, VALUE_ALL);
    struct latency_key line = {0, LATENCY_MEMORY, {0x1000}, secret << 6};
    batch_table_add(&batch->values, batch_value_index(batch, &value), 40, 40);
    batch_table_add(&batch->values, batch_value_index(batch, &all), 4, 40);
    batch_table_add(&batch->latencies, batch_latency_index(batch, &line), 5, 1);
}

/* Batches of 250 ms; in batch i edge 0 has time and count 100, and edge i + 1 has 10. */
enum { NO_TIME = 1, VALUES = 2 }; /* the first batch has no time; there are values */
static void record(size_t n, int how, struct profile *ret_profile)
{
    struct profile_writer *writer;
    struct profile delta;
    struct batch batch;
    struct err err = {0};
    profile_init(&delta);
    delta.mode = PROFILE_SAMPLED;
    delta.start_unix_ns = START;
    uint32_t module = profile_module(&delta, "/program", NULL, 0);
    assert_true(profile_writer_open(path, &delta, &writer, &err));
    profile_writer_attach(writer, &delta);
    batch_init(&batch);
    uint32_t thread = stacks_node(&delta.stacks, STACK_NONE, MODULE_NONE, (uint64_t)7 << 32 | 7);
    uint32_t node = stacks_node(&delta.stacks, thread, module, 0x1000);
    for (size_t i = 0; i < n; i++) {
        struct edge_key common = edge_of(0), own = edge_of(i + 1);
        uint64_t begin = START + i * 250 * MS;
        batch_add_edge(&batch, &common, 100, 100);
        batch_add_edge(&batch, &own, 10, 10);
        batch_add_window(&batch, 110, 110);
        if (how & VALUES)
            batch_add_values(&batch, i);
        if (!(how & NO_TIME) || i)
            batch.span = (struct time_part){begin, begin + 240 * MS};
        batch_close(&batch, &delta);
        stacks_add(&delta.stacks, node, 0, 1000);
        times_add(&delta, node, 0, 1000, begin + 120 * MS, 0);
    }
    delta.totals.samples = n;
    delta.totals.sampled_ns = delta.totals.user_ns = n * 1000;
    assert_true(profile_writer_append(writer, &delta, &err));
    assert_true(profile_writer_end(writer, &err));
    batch_release(&batch);
    profile_release(&delta);
    if (!profile_read(path, ret_profile, &err))
        fail_msg("%s", err.text);
}

static uint64_t count_of(const struct profile *profile, uint64_t key)
{
    struct edge_key edge = edge_of(key);
    uint32_t index = map_find(&profile->edges.keys, &edge);
    return index == MAP_NONE ? 0 : profile->edges.at[index].count;
}

static void read_back(void **state)
{
    (void)state;
    struct profile profile;
    record(8, 0, &profile);
    assert_int_equal(profile.log.batches.n, 8);
    assert_int_equal(profile.log.rows.n, 16);
    assert_true(batch_log_whole(&profile));
    assert_int_equal(profile.log.batches.at[3].span.begin_ns, START + 750 * MS);
    assert_int_equal(profile.log.batches.at[3].x_time, 110);
    profile_release(&profile);
}

static void a_part(void **state)
{
    (void)state;
    struct profile profile;
    struct err err = {0};
    record(8, 0, &profile);
    struct time_part wanted = {START + 500 * MS, START + 1240 * MS};
    assert_true(profile_weigh_part(&profile, wanted, &err));
    assert_int_equal(profile.mode, PROFILE_SAMPLED);
    assert_int_equal(profile.totals.batches, 3);
    assert_int_equal(profile.totals.time, 330);
    assert_int_equal(count_of(&profile, 0), 300);
    assert_int_equal(profile.edges.n, 4);
    for (uint64_t i = 0; i < 8; i++)
        assert_int_equal(count_of(&profile, i + 1), i >= 2 && i < 5 ? 10 : 0);
    assert_int_equal(profile.part_counts.begin_ns, START + 500 * MS);
    assert_int_equal(profile.part_counts.end_ns, START + 1240 * MS);
    profile_release(&profile);
}

/* A batch whose time nobody knows: no table can be divided, and nobody is told less than all. */
static void not_whole(void **state)
{
    (void)state;
    struct profile profile;
    struct err err = {0};
    record(4, NO_TIME, &profile);
    assert_false(batch_log_whole(&profile));
    assert_true(profile_weigh_part(&profile, (struct time_part){START, START + 500 * MS}, &err));
    assert_int_equal(profile.mode, PROFILE_PLAIN);
    assert_int_equal(profile.edges.n, 0);
    profile_release(&profile);
}

/* Twice as many batches as a whole file has: two become one, and their sums stay. */
static void coarse(void **state)
{
    (void)state;
    struct profile profile;
    record(256, 0, &profile);
    assert_in_range(profile.log.batches.n, 2, LOG_BATCHES_MAX);
    assert_true(batch_log_whole(&profile));
    uint64_t common = 0;
    for (size_t i = 0; i < profile.log.batches.n; i++) {
        const struct logged_batch *batch = &profile.log.batches.at[i];
        assert_true(batch->span.end_ns - batch->span.begin_ns >= 240 * MS);
        for (size_t r = batch->first_row; r < batch_log_end(&profile.log, i); r++) {
            struct edge_key key = edge_of(0);
            if (profile.log.rows.at[r].key == map_find(&profile.edges.keys, &key))
                common += profile.log.rows.at[r].count;
        }
    }
    assert_int_equal(common, 25600);
    profile_release(&profile);
}

/* A part of a window in each batch; moment 0: an older gait wrote them. */
static void parts_add(struct profile *profile, size_t n, uint64_t first_moment)
{
    struct path_sheet *sheet = vec_push(&profile->path_parts);
    for (size_t i = 0; i < n; i++) {
        uint64_t moment = first_moment ? first_moment + i * 250 * MS : 0;
        *vec_push(&sheet->parts) = (struct window_part){.n = 1, .weight = 1};
        *vec_push(&sheet->batches) = (struct parts_batch){1, 0, 110, 110, moment};
    }
}

/* Paths go with their batches, however those were joined. */
static void part_paths(void **state)
{
    (void)state;
    const size_t sizes[] = {8, 256};
    for (size_t k = 0; k < 2; k++) {
        struct profile profile;
        struct err err = {0};
        uint64_t n = sizes[k], half = START + n / 2 * 250 * MS, weight = 0;
        record(n, 0, &profile);
        parts_add(&profile, n, START + 120 * MS);
        assert_true(profile_weigh_part(&profile, (struct time_part){START, half}, &err));
        assert_false(profile.part_no_paths);
        const struct path_sheet *sheet = &profile.path_parts.at[0];
        for (size_t i = 0; i < n; i++)
            weight += sheet->parts.at[i].weight;
        assert_int_equal(weight * 110, profile.totals.time);
        assert_int_equal(sheet->parts.at[0].weight, 1);
        assert_int_equal(sheet->parts.at[n - 1].weight, 0);
        profile_release(&profile);
    }
}

static void part_paths_unknown(void **state)
{
    (void)state;
    struct profile profile;
    struct err err = {0};
    record(8, 0, &profile);
    parts_add(&profile, 8, 0);
    assert_true(profile_weigh_part(&profile, (struct time_part){START, START + 500 * MS}, &err));
    assert_true(profile.part_no_paths);
    profile_release(&profile);
}

static void merged(void **state)
{
    (void)state;
    struct profile one, two;
    struct err err = {0};
    record(4, 0, &one);
    record(6, 0, &two);
    assert_true(profile_merge(&one, &two, &err));
    assert_int_equal(one.log.batches.n, 10);
    assert_true(batch_log_whole(&one));
    assert_true(profile_weigh_part(&one, (struct time_part){START, START + 250 * MS}, &err));
    assert_int_equal(count_of(&one, 0), 200);
    assert_int_equal(count_of(&one, 1), 20);
    assert_int_equal(count_of(&one, 2), 0);
    profile_release(&one);
    profile_release(&two);
}

static uint64_t value_count(const struct profile *profile, uint64_t value)
{
    struct value_key key = value_of(value, 0);
    const struct sums *sums = table_find(&profile->values, &key);
    return sums ? sums->count : 0;
}

/* Values of the first flush are of the first second, those of the next one of the next. */
static void part_values(void **state)
{
    (void)state;
    const uint64_t parts[][2] = {{0, 700}, {500, 2000}}; /* ms */
    for (uint64_t i = 0; i < 2; i++) {
        struct profile profile;
        struct err err = {0};
        record(8, VALUES, &profile);
        assert_true(profile_weigh_part(
            &profile, (struct time_part){START + parts[i][0] * MS, START + parts[i][1] * MS},
            &err));
        assert_int_equal(value_count(&profile, secret), i == 0 ? 40 : 0);
        struct value_key all = value_of(0, VALUE_ALL);
        assert_int_equal(table_find(&profile.values, &all)->count, 40);
        assert_int_equal(profile.part_values.begin_ns, START + i * 1000 * MS);
        assert_int_equal(profile.part_values.end_ns, START + (990 + i * 1000) * MS);
        profile_release(&profile);
    }
}

/* What is left of a profile without its values does not depend on them. */
static void no_values(void **state)
{
    (void)state;
    struct encoder bytes[2] = {0};
    for (int i = 0; i < 2; i++) {
        struct profile profile;
        record(8, VALUES, &profile);
        assert_int_equal(value_count(&profile, secret), 40);
        assert_int_equal(profile.log.rows.n, 16 + 2 * 3);
        profile_forget_values(&profile);
        assert_int_equal(profile.log.rows.n, 16);
        assert_true(batch_log_whole(&profile));
        encode_whole(&bytes[i], &profile, NULL);
        profile_release(&profile);
        secret = 0x1234567;
    }
    assert_int_equal(bytes[0].out.n, bytes[1].out.n);
    assert_memory_equal(bytes[0].out.at, bytes[1].out.at, bytes[0].out.n);
    for (int i = 0; i < 2; i++)
        encoder_release(&bytes[i]);
}

static int path_make(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    snprintf(old, sizeof old, "%s.old", path);
    return fd < 0 ? -1 : close(fd);
}

static int path_remove(void **state)
{
    (void)state;
    unlink(old);
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(read_back),
                                       cmocka_unit_test(a_part),
                                       cmocka_unit_test(not_whole),
                                       cmocka_unit_test(coarse),
                                       cmocka_unit_test(merged),
                                       cmocka_unit_test(part_values),
                                       cmocka_unit_test(no_values),
                                       cmocka_unit_test(part_paths),
                                       cmocka_unit_test(part_paths_unknown)};
    return cmocka_run_group_tests(tests, path_make, path_remove);
}
