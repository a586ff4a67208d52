/* Writers that meet trouble: killed at any moment, out of space, or not alone. */
#include "some_profile.h"

#include "profile/batch.h"

#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[] = "/tmp/gait-test-writer.XXXXXX";
static char path[64], path_old[72];

static int make_folder(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/p", folder);
    snprintf(path_old, sizeof path_old, "%s.old", path);
    return 0;
}

/* A killed writer may leave its temporary file; nothing else may be left. */
static int remove_folder(void **state)
{
    (void)state;
    char pattern[64];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/p.*.tmp", folder);
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            unlink(found.gl_pathv[i]);
    globfree(&found);
    unlink(path);
    unlink(path_old);
    return rmdir(folder);
}

/* A delta in which every sum is 1 and so are the totals: after n whole appends all are n. */
static void ones(struct profile *profile, uint32_t rows)
{
    profile_init(profile);
    profile->mode = PROFILE_SAMPLED;
    uint32_t module = profile_module(profile, "/m", NULL, 0);
    const struct sums one = {1, 1, 1, 1, 1, 1};
    for (uint32_t i = 0; i < rows; i++) {
        struct edge_key edge = {module, module, {i * 3}, {i}, EDGE_JUMP};
        struct range_key range = {.module = module, .instructions = 1, .start = {i}, .last = {i}};
        *table_at(&profile->edges, &edge) = one;
        *table_at(&profile->ranges, &range) = one;
    }
    profile->totals.batches = 1;
}

static uint64_t assert_whole(const char *name, uint32_t rows)
{
    struct err err = {0};
    struct profile back;
    if (!profile_read(name, &back, &err))
        fail_msg("%s", err.text);
    uint64_t n = back.totals.batches;
    assert_int_equal(back.edges.n, n ? rows : 0);
    assert_int_equal(back.ranges.n, n ? rows : 0);
    for (size_t i = 0; i < back.edges.n; i++) {
        assert_true(back.edges.at[i].count == n && back.edges.at[i].time_yy == n);
        assert_true(back.ranges.at[i].count == n && back.ranges.at[i].time_yy == n);
    }
    profile_release(&back);
    return n;
}

static struct profile_writer *open_writer(const struct profile *head)
{
    struct err err = {0};
    struct profile_writer *writer;
    if (!profile_writer_open(path, head, &writer, &err))
        fail_msg("%s", err.text);
    return writer;
}

static bool append_ones(struct profile_writer *writer, const struct profile *ones)
{
    struct err err;
    return profile_writer_append(writer, ones, &err);
}

/* The same content as a batch. */
static bool append_batch(struct profile_writer *writer, const struct profile *ones)
{
    static struct profile delta;
    static struct batch batch;
    struct err err;
    if (!delta.sink) {
        profile_init(&delta);
        delta.mode = PROFILE_SAMPLED;
        profile_module(&delta, "/m", NULL, 0);
        batch_init(&batch);
        profile_writer_attach(writer, &delta);
    }
    for (uint32_t i = 0; i < ones->edges.n; i++) {
        batch_add_edge(&batch, map_key(&ones->edges.keys, i), 1, 1);
        batch_add_range(&batch, map_key(&ones->ranges.keys, i), 1, 1);
    }
    batch_add_window(&batch, 1, 1);
    batch_close(&batch, &delta);
    bool ok = profile_writer_append(writer, &delta, &err);
    profile_clear(&delta);
    return ok;
}

typedef bool append_some(struct profile_writer *writer, const struct profile *ones);

static _Noreturn void append_until_killed(append_some *append, const struct profile *delta,
                                          int started)
{
    struct err err;
    struct profile head;
    struct profile_writer *writer;
    profile_init(&head);
    head.mode = PROFILE_SAMPLED;
    if (!profile_writer_open(path, &head, &writer, &err))
        _exit(1);
    if (write(started, "", 1) != 1)
        _exit(1);
    while (append(writer, delta))
        ;
    _exit(1);
}

/* Appends and rewrites follow each other without a pause, so that a random moment is most often in
 * the middle of one. Some children live long enough for a few rewrites. */
static void kill_writers(append_some *append, uint32_t rows)
{
    struct profile delta;
    uint64_t appends = 0;
    ones(&delta, rows);
    for (int i = 0; i < 60; i++) {
        int started[2];
        char byte;
        assert_int_equal(pipe(started), 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            append_until_killed(append, &delta, started[1]);
        close(started[1]);
        assert_int_equal(read(started[0], &byte, 1), 1);
        close(started[0]);
        nanosleep(&(struct timespec){.tv_nsec = (long)some_below(i % 10 ? 4000000 : 60000000)},
                  NULL);
        kill(child, SIGKILL);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        appends += assert_whole(path, rows);
    }
    assert_true(appends > 100);
    profile_release(&delta);
}

static void a_killed_writer_leaves_whole_appends(void **state)
{
    (void)state;
    kill_writers(append_ones, 1500);
    kill_writers(append_batch, 6000);
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void no_space_keeps_the_old_file(void **state)
{
    (void)state;
    enum { ROWS = 2000 };
    struct err err = {0};
    struct profile profile;
    ones(&profile, ROWS);
    assert_true(profile_write(path, &profile, &err));
    limit_files(1000);
    bool wrote = profile_write(path, &profile, &err);
    limit_files(RLIM_INFINITY);
    assert_false(wrote);
    assert_int_equal(err.kind, ERR_SYSTEM);
    assert_non_null(strstr(err.text, "cannot write"));
    assert_non_null(strstr(err.text, "File too large"));
    assert_int_equal(assert_whole(path, ROWS), 1);
    profile_release(&profile);
}

/* Room for one append, then for none, then for all. New modules and facts that came with the failed
 * appends must not be lost either. */
static void an_append_that_failed_is_made_up_for(void **state)
{
    (void)state;
    enum { ROWS = 2000 };
    struct err err = {0};
    struct profile head, delta, back;
    struct stat before, after;
    ones(&head, 0);
    head.totals.batches = 0;
    ones(&delta, ROWS);
    struct profile_writer *writer = open_writer(&head);
    assert_true(profile_writer_append(writer, &delta, &err));
    assert_int_equal(stat(path, &before), 0);
    limit_files((rlim_t)before.st_size + 1000);
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "/m%d", i);
        profile_module(&delta, name, NULL, 0);
        profile_fact(&delta, "module", name);
        bool appended = profile_writer_append(writer, &delta, &err);
        limit_files(RLIM_INFINITY);
        assert_false(appended);
        assert_non_null(strstr(err.text, "File too large"));
        assert_int_equal(stat(path, &after), 0);
        assert_int_equal(after.st_size, before.st_size);
        assert_int_equal(assert_whole(path, ROWS), 1);
        limit_files((rlim_t)before.st_size + 1000);
    }
    limit_files(RLIM_INFINITY);
    assert_true(profile_writer_append(writer, &delta, &err));
    assert_int_equal(assert_whole(path, ROWS), 5);
    assert_true(profile_writer_append(writer, &delta, &err));
    assert_int_equal(assert_whole(path, ROWS), 6);
    assert_true(profile_read(path, &back, &err));
    assert_int_equal(back.modules.n, 4);
    assert_int_equal(back.facts.n, 3);
    profile_release(&back);
    assert_true(profile_writer_close(writer, &err));
    assert_int_equal(assert_whole(path, ROWS), 6);
    profile_release(&head);
    profile_release(&delta);
}

static void closing_without_a_rewrite_still_ends_the_file(void **state)
{
    (void)state;
    enum { ROWS = 10 };
    struct err err = {0};
    struct profile head, delta, back;
    struct stat size;
    char in_the_way[96];
    snprintf(in_the_way, sizeof in_the_way, "%s.%d.tmp", path, (int)getpid());
    ones(&head, 0);
    head.totals.batches = 0;
    ones(&delta, ROWS);
    for (int failed = 0; failed < 2; failed++) {
        struct profile_writer *writer = open_writer(&head);
        assert_true(profile_writer_append(writer, &delta, &err));
        if (failed) {
            assert_int_equal(stat(path, &size), 0);
            limit_files((rlim_t)size.st_size + 10);
            assert_false(profile_writer_append(writer, &delta, &err));
            limit_files(RLIM_INFINITY);
        }
        assert_int_equal(mkdir(in_the_way, 0700), 0);
        assert_true(profile_writer_close(writer, &err));
        assert_int_equal(rmdir(in_the_way), 0);
        assert_true(profile_read(path, &back, &err));
        assert_true(back.complete);
        profile_release(&back);
        assert_int_equal(assert_whole(path, ROWS), 1 + failed);
    }
    profile_release(&head);
    profile_release(&delta);
}

/* Bytes of the file after the delta was the only append, in the common way or as the last. */
static size_t written_alone(const struct profile *head, bool last, char *ret_bytes, size_t room)
{
    enum { ROWS = 500 };
    struct err err = {0};
    struct profile delta;
    struct stat before, after;
    ones(&delta, ROWS);
    struct profile_writer *writer = open_writer(head);
    assert_int_equal(stat(path, &before), 0);
    assert_true(last ? profile_writer_append_last(writer, &delta, &err)
                     : profile_writer_append(writer, &delta, &err));
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(last, before.st_size == after.st_size); /* it is written once */
    assert_int_equal(profile_writer_total(writer)->edges.n, ROWS);
    assert_true(profile_writer_close(writer, &err));
    assert_int_equal(assert_whole(path, ROWS), 1);
    profile_release(&delta);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t n = fread(ret_bytes, 1, room, file);
    fclose(file);
    return n;
}

static void what_is_first_and_last_is_written_once(void **state)
{
    (void)state;
    static char common[1 << 16], once[1 << 16];
    struct profile head;
    profile_init(&head);
    head.mode = PROFILE_SAMPLED;
    profile_fact(&head, "host", "h");
    size_t n = written_alone(&head, false, common, sizeof common);
    assert_int_equal(written_alone(&head, true, once, sizeof once), n);
    assert_memory_equal(common, once, n);
    profile_release(&head);
}

/* No rewrite is possible: it is appended after all. Where something was before, it is from the
 * start. */
static void what_is_last_survives_a_rewrite_that_fails(void **state)
{
    (void)state;
    enum { ROWS = 30 };
    char in_the_way[96];
    struct err err = {0};
    struct profile head, delta, back;
    snprintf(in_the_way, sizeof in_the_way, "%s.%d.tmp", path, (int)getpid());
    profile_init(&head);
    head.mode = PROFILE_SAMPLED;
    for (uint64_t before = 0; before < 2; before++) {
        struct profile_writer *writer = open_writer(&head);
        for (int i = 0; i < 2; i++) {
            ones(&delta, ROWS);
            profile_fact(&delta, "a", "fact");
            if (i || before)
                assert_true(i ? profile_writer_append_last(writer, &delta, &err)
                              : profile_writer_append(writer, &delta, &err));
            profile_release(&delta);
        }
        assert_int_equal(mkdir(in_the_way, 0700), 0);
        assert_true(profile_writer_close(writer, &err));
        assert_int_equal(rmdir(in_the_way), 0);
        assert_true(profile_read(path, &back, &err));
        assert_true(back.complete);
        assert_int_equal(back.facts.n, 1);
        profile_release(&back);
        assert_int_equal(assert_whole(path, ROWS), 1 + before);
    }
    profile_release(&head);
}

static void another_recordings_file_is_not_overwritten(void **state)
{
    (void)state;
    enum { ROWS = 20 };
    struct err err = {0};
    struct profile head, delta;
    ones(&head, 0);
    head.totals.batches = 0;
    ones(&delta, ROWS);
    struct profile_writer *first = open_writer(&head);
    struct profile_writer *second = open_writer(&head);
    assert_true(profile_writer_append(first, &delta, &err));
    assert_true(profile_writer_append(second, &delta, &err));
    assert_true(profile_writer_append(second, &delta, &err));
    assert_true(profile_writer_close(second, &err));
    assert_false(profile_writer_close(first, &err));
    assert_non_null(strstr(err.text, "was replaced during the recording"));
    assert_int_equal(assert_whole(path, ROWS), 2);
    assert_int_equal(assert_whole(path_old, ROWS), 1);
    profile_release(&head);
    profile_release(&delta);
}

static void devices_are_written_into(void **state)
{
    (void)state;
    struct err err = {0};
    struct profile delta;
    struct profile_writer *writer;
    struct stat stat_of;
    ones(&delta, 10);
    assert_true(profile_writer_open("/dev/null", &delta, &writer, &err));
    assert_true(profile_writer_append(writer, &delta, &err));
    assert_true(profile_writer_close(writer, &err));
    assert_true(profile_write("/dev/null", &delta, &err));
    assert_int_equal(stat("/dev/null", &stat_of), 0);
    assert_true(S_ISCHR(stat_of.st_mode));
    assert_false(profile_write("/dev/full", &delta, &err));
    assert_string_equal(err.text, "cannot write /dev/full: No space left on device");
    assert_false(profile_writer_open("/dev/full", &delta, &writer, &err));
    assert_false(profile_write("/nonexistent/p", &delta, &err));
    assert_string_equal(err.text, "cannot create /nonexistent/p: No such file or directory");
    profile_release(&delta);
}

/* Bytes of a closed file that keeps code, which may take so much CPU time. */
static off_t size_with_code(bool whole, uint64_t cpu_ns)
{
    enum { PARTS = 512, PART = 48 };
    extern const uint8_t etext[];
    const uint8_t *code = etext - PARTS * PART;
    struct err err = {0};
    struct profile delta;
    struct profile_writer *writer;
    struct kept_parts kept = {0};
    struct arena arena = {0};
    struct stat stat_of;
    ones(&delta, 10);
    assert_true(profile_writer_open(path, &delta, &writer, &err));
    profile_writer_note_places(writer);
    assert_true(profile_writer_append(writer, &delta, &err));
    for (size_t i = 0; i < PARTS; i++)
        *vec_push(&kept) = (struct kept_part){.kind = KEPT_FUNCTION,
                                              .at = i * PART,
                                              .n = PART,
                                              .bytes = code + i * PART,
                                              .code_n = PART};
    profile_writer_keep(writer, &kept, &arena, NULL, cpu_ns);
    assert_true((whole ? profile_writer_close : profile_writer_end)(writer, &err));
    assert_int_equal(stat(path, &stat_of), 0);
    arena_release(&arena);
    vec_release(&kept);
    profile_release(&delta);
    return stat_of.st_size;
}

/* Whether the file is rewritten or appended to at its end. */
static void short_runs_are_written_in_haste(void **state)
{
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        off_t slow = size_with_code(whole, UINT64_MAX), haste = size_with_code(whole, 0);
        off_t half = size_with_code(whole, 512 * 48 / 2 * 50),
              little = size_with_code(whole, 50000);
        print_message("in columns %ld bytes, half of it %ld, in haste %ld\n", (long)slow,
                      (long)half, (long)haste);
        assert_int_not_equal(haste, slow); /* of so little code either may be smaller */
        assert_int_not_equal(half, slow);
        assert_int_not_equal(half, haste);
        assert_int_equal(little, haste);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_writer_leaves_whole_appends),
        cmocka_unit_test(no_space_keeps_the_old_file),
        cmocka_unit_test(an_append_that_failed_is_made_up_for),
        cmocka_unit_test(closing_without_a_rewrite_still_ends_the_file),
        cmocka_unit_test(what_is_first_and_last_is_written_once),
        cmocka_unit_test(what_is_last_survives_a_rewrite_that_fails),
        cmocka_unit_test(another_recordings_file_is_not_overwritten),
        cmocka_unit_test(devices_are_written_into),
        cmocka_unit_test(short_runs_are_written_in_haste),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
