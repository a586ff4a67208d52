/* Batches that go to a writer: the file must say what the same batches say when simply added up. */
#include "some_profile.h"

#include "profile/batch.h"
#include "profile/file/chunk.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/gait-test-journal.XXXXXX";
static char path[64], path_old[72], path_plain[64], path_plain_old[72];

static int make_folder(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/p", folder);
    snprintf(path_plain, sizeof path_plain, "%s/plain", folder);
    snprintf(path_old, sizeof path_old, "%s.old", path);
    snprintf(path_plain_old, sizeof path_plain_old, "%s.old", path_plain);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    unlink(path_old);
    unlink(path_plain);
    unlink(path_plain_old);
    return rmdir(folder);
}

/* Two recorders of the same walks: one through a writer, one that adds up. Two processes each. */
enum { PROCESSES = 2 };
struct twins {
    struct profile_writer *writer;
    struct profile delta, plain;
    struct batch written[PROCESSES], added[PROCESSES];
};

static void twins_open(struct twins *twins)
{
    struct err err = {0};
    struct profile *const both[] = {&twins->delta, &twins->plain};
    for (int i = 0; i < 2; i++) {
        profile_init(both[i]);
        both[i]->mode = PROFILE_SAMPLED;
        profile_module(both[i], "/first", NULL, 0);
    }
    for (int i = 0; i < PROCESSES; i++) {
        batch_init(&twins->written[i]);
        batch_init(&twins->added[i]);
    }
    if (!profile_writer_open(path, &twins->delta, &twins->writer, &err))
        fail_msg("%s", err.text);
    profile_writer_attach(twins->writer, &twins->delta);
}

static void twins_release(struct twins *twins)
{
    for (int i = 0; i < PROCESSES; i++) {
        batch_release(&twins->written[i]);
        batch_release(&twins->added[i]);
    }
    profile_release(&twins->delta);
    profile_release(&twins->plain);
}

static void twins_module(struct twins *twins, const char *name)
{
    profile_module(&twins->delta, name, NULL, 0);
    profile_module(&twins->plain, name, NULL, 0);
}

static void add_everywhere(struct twins *twins, int process, uint64_t keys)
{
    struct batch *const both[] = {&twins->written[process], &twins->added[process]};
    uint32_t module = some_module(&twins->delta);
    uint64_t key = some_below(keys), time = some_number() >> 24, count = some_number() >> 20;
    struct edge_key edge = {module, module, {key * 4}, {key * 8}, EDGE_TAKEN};
    struct edge_key returned = {MODULE_NONE, module, {0}, {key * 8}, EDGE_RETURN};
    struct range_key range = {
        .module = module, .instructions = 3, .start = {key}, .last = {key + 9}};
    uint64_t which = some_below(3);
    for (int i = 0; i < 2; i++) {
        if (which < 2)
            batch_add_edge(both[i], which ? &edge : &returned, time, count);
        else
            batch_add_range(both[i], &range, time, count);
        batch_add_window(both[i], time, count);
    }
}

static void close_batch(struct twins *twins, int process)
{
    batch_close(&twins->written[process], &twins->delta);
    batch_close(&twins->added[process], &twins->plain);
}

static bool append(struct twins *twins)
{
    struct err err = {0};
    uint64_t windows = some_below(9);
    twins->delta.totals.windows += windows;
    twins->plain.totals.windows += windows;
    bool ok = profile_writer_append(twins->writer, &twins->delta, &err);
    profile_clear(&twins->delta);
    return ok;
}

static void assert_file_is_sum(const struct twins *twins)
{
    struct err err = {0};
    struct profile back;
    if (!profile_read(path, &back, &err))
        fail_msg("%s", err.text);
    assert_null(back.warning);
    assert_same_profile(&twins->plain, &back);
    assert_same_tables(&twins->plain, profile_writer_total(twins->writer));
    profile_release(&back);
}

static void slurp(struct bytes *bytes, const char *name)
{
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    char part[4096];
    for (size_t n; (n = fread(part, 1, sizeof part, file)) > 0;)
        bytes_add(bytes, part, n);
    fclose(file);
}

/* Ends the file as it has grown: whoever reads it adds up. */
static void end_and_compare(struct twins *twins)
{
    struct err err = {0};
    struct profile back;
    assert_true(profile_writer_end(twins->writer, &err));
    assert_null(twins->delta.sink);
    assert_true(profile_read(path, &back, &err));
    assert_null(back.warning);
    twins->plain.complete = true;
    assert_same_profile(&twins->plain, &back);
    profile_release(&back);
}

static void close_and_compare(struct twins *twins)
{
    struct err err = {0};
    struct bytes grown = {0}, whole = {0};
    assert_true(profile_writer_close(twins->writer, &err));
    assert_null(twins->delta.sink);
    twins->plain.complete = true;
    assert_true(profile_write(path_plain, &twins->plain, &err));
    slurp(&grown, path);
    slurp(&whole, path_plain);
    assert_int_equal(grown.n, whole.n);
    assert_memory_equal(grown.at, whole.at, whole.n);
    vec_release(&grown);
    vec_release(&whole);
}

/* Modules come one by one, keys are few and come again, and now and then many. */
static void batches_written_equal_batches_added(void **state)
{
    (void)state;
    for (uint64_t seed = 3000; seed < 3004; seed++) {
        struct twins twins;
        some_state = seed;
        twins_open(&twins);
        for (int appends = 0; appends < 30; appends++) {
            if (some_below(8) == 0) {
                char name[16];
                snprintf(name, sizeof name, "/m%d", appends);
                twins_module(&twins, name);
            }
            for (uint64_t batches = some_below(6); batches; batches--) {
                int process = (int)some_below(PROCESSES);
                for (uint64_t adds = some_below(400); adds; adds--)
                    add_everywhere(&twins, process, some_below(20) ? 50 : 5000);
                close_batch(&twins, process);
            }
            assert_true(append(&twins));
            assert_file_is_sum(&twins);
        }
        (seed % 2 ? end_and_compare : close_and_compare)(&twins);
        twins_release(&twins);
    }
}

/* What was closed but not appended is not in the file, and comes with the next append. */
static void a_batch_is_in_the_file_with_its_append(void **state)
{
    (void)state;
    struct twins twins;
    struct err err = {0};
    struct profile back;
    some_state = 1;
    twins_open(&twins);
    for (int i = 0; i < 100; i++)
        add_everywhere(&twins, 0, 50);
    close_batch(&twins, 0);
    assert_true(profile_read(path, &back, &err));
    assert_int_equal(back.edges.n + back.ranges.n, 0);
    assert_int_equal(back.totals.batches, 0);
    profile_release(&back);
    assert_true(append(&twins));
    assert_file_is_sum(&twins);
    profile_writer_abandon(twins.writer);
    twins_release(&twins);
}

static void more_than_fits_into_a_chunk(void **state)
{
    (void)state;
    struct twins twins;
    some_state = 7;
    twins_open(&twins);
    for (int i = 0; i < 2; i++) {
        for (int adds = 0; adds < 150000; adds++)
            add_everywhere(&twins, 0, 1 << 20);
        close_batch(&twins, 0);
        assert_true(append(&twins));
    }
    assert_file_is_sum(&twins);
    close_and_compare(&twins);
    twins_release(&twins);
}

/* A file that is rewritten has to name its keys anew. */
static void the_same_keys_again_stay_bounded(void **state)
{
    (void)state;
    struct twins twins;
    struct stat before = {0}, after;
    int files = 0;
    some_state = 9;
    twins_open(&twins);
    for (int i = 0; i < 200; i++) {
        for (int adds = 0; adds < 12000; adds++)
            add_everywhere(&twins, 0, 4000);
        close_batch(&twins, 0);
        assert_true(append(&twins));
        assert_int_equal(stat(path, &after), 0);
        assert_true(after.st_size < 11 << 20);
        files += after.st_ino != before.st_ino;
        before = after;
    }
    assert_true(files > 1);
    assert_file_is_sum(&twins);
    profile_writer_abandon(twins.writer);
    twins_release(&twins);
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void one_append(struct twins *twins, int adds, uint64_t keys, bool works)
{
    for (int i = 0; i < adds; i++)
        add_everywhere(twins, 0, keys);
    close_batch(twins, 0);
    assert_int_equal(append(twins), works);
}

/* Appends that fail: few are made up for by one append, many by a rewrite. */
static void failed_appends_are_made_up_for(void **state)
{
    (void)state;
    const int failures[] = {1, 3, 5};
    for (size_t i = 0; i < 3; i++) {
        struct twins twins;
        some_state = 11 + i;
        twins_open(&twins);
        one_append(&twins, 1000, 500, true);
        assert_file_is_sum(&twins);
        limit_files(1000);
        for (int n = 0; n < failures[i]; n++) {
            twins_module(&twins, n & 1 ? "/odd" : "/even");
            one_append(&twins, failures[i] == 5 ? 60000 : 1000, 1 << 18, false);
        }
        limit_files(RLIM_INFINITY);
        one_append(&twins, 1000, 500, true);
        assert_file_is_sum(&twins);
        one_append(&twins, 1000, 500, true);
        assert_file_is_sum(&twins);
        close_and_compare(&twins);
        twins_release(&twins);
    }
}

/* Closing without a rewrite: what failed appends left is put in front of END. */
static void the_end_brings_what_failed(void **state)
{
    (void)state;
    struct twins twins;
    struct err err = {0};
    struct profile back;
    char in_the_way[96];
    snprintf(in_the_way, sizeof in_the_way, "%s.%d.tmp", path, (int)getpid());
    some_state = 5;
    twins_open(&twins);
    one_append(&twins, 100, 50, true);
    limit_files(100);
    one_append(&twins, 100, 50, false);
    limit_files(RLIM_INFINITY);
    assert_int_equal(mkdir(in_the_way, 0700), 0);
    assert_true(profile_writer_close(twins.writer, &err));
    assert_int_equal(rmdir(in_the_way), 0);
    assert_true(profile_read(path, &back, &err));
    twins.plain.complete = true;
    assert_same_profile(&twins.plain, &back);
    profile_release(&back);
    twins_release(&twins);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_written_equal_batches_added),
        cmocka_unit_test(a_batch_is_in_the_file_with_its_append),
        cmocka_unit_test(more_than_fits_into_a_chunk),
        cmocka_unit_test(the_same_keys_again_stay_bounded),
        cmocka_unit_test(failed_appends_are_made_up_for),
        cmocka_unit_test(the_end_brings_what_failed),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
