/* docs/FORMAT.md holds whole files and an append in hexadecimal, byte for byte what the writer
 * makes. */
#include "some_profile.h"

#include "profile/batch.h"
#include "profile/file/encode.h"

#include <ctype.h>
#include <unistd.h>

static void example(struct profile *profile)
{
    static const uint8_t build_id[] = {0xde, 0xad, 0xbe, 0xef};
    profile_init(profile);
    profile->mode = PROFILE_SAMPLED;
    profile->complete = true;
    profile->command = arena_string(&profile->arena, "lua fib.lua");
    profile->start_unix_ns = 1700000000000000000u;
    profile_fact(profile, "gait", "1.0");
    uint32_t lua = profile_module(profile, "/usr/bin/lua", build_id, sizeof build_id);
    struct edge_key taken = {lua, lua, {0x1010}, {0x1000}, EDGE_TAKEN};
    struct edge_key returned = {MODULE_NONE, lua, {0}, {0x1000}, EDGE_RETURN};
    struct range_key range = {
        .module = lua, .instructions = 5, .start = {0x1000}, .last = {0x1010}};
    *table_at(&profile->edges, &taken) = (struct sums){1000, 2000, 1000000, 3000000, 4, 5};
    table_at(&profile->edges, &returned)->count = 7;
    table_at(&profile->ranges, &range)->time = 300;
    uint32_t thread = stacks_node(&profile->stacks, STACK_NONE, MODULE_NONE, stack_thread(7, 7));
    stacks_add(&profile->stacks, stacks_node(&profile->stacks, thread, lua, 0x1004), 0, 4000000);
    profile->totals = (struct totals){.batches = 1,
                                      .windows = 1,
                                      .interrupts = 2,
                                      .instructions = 2000,
                                      .time = 1 << 24,
                                      .count = 3000,
                                      .time_xx = (u128)1 << 48,
                                      .count_xx = 9000000,
                                      .user_ns = 1000000000,
                                      .samples = 1,
                                      .sampled_ns = 4000000};
    profile->totals.losses[LOSS_cut] = 1;
}

static void plain_example(struct profile *profile)
{
    profile_init(profile);
    profile->mode = PROFILE_PLAIN;
    profile->complete = true;
    uint32_t kernel = profile_module(profile, "[kernel]", NULL, 0);
    uint32_t lua = profile_module(profile, "lua", NULL, 0);
    uint32_t thread = stacks_node(&profile->stacks, STACK_NONE, MODULE_NONE, stack_thread(7, 8));
    uint32_t outer = stacks_node(&profile->stacks, thread, lua, 0x1004);
    uint32_t inner = stacks_node(&profile->stacks, outer, lua, 0x1080);
    uint32_t callee = stacks_node(&profile->stacks, outer, kernel, 0xffffffff81000010);
    stacks_add(&profile->stacks, inner, 0, 1000);
    stacks_add(&profile->stacks, inner, 3, 500);
    stacks_add(&profile->stacks, callee, 1, 250);
    struct thread_times *row = threads_row(&profile->threads, &profile->arena, 7, 8, "lua");
    *row = (struct thread_times){.pid = 7,
                                 .tid = 8,
                                 .name = row->name,
                                 .user_ns = 1500,
                                 .kernel_ns = 250,
                                 .off_ns = 9000,
                                 .switches = 2};
    names_add(&profile->names, &profile->arena, kernel, 0xffffffff81000000, 0x40, "do_read");
    profile->totals = (struct totals){
        .interrupts = 3, .time = 1500, .user_ns = 1500, .kernel_ns = 250, .off_ns = 9000};
}

/* The bytes of the nth block fenced by ```hex: two digits each, up to a '#' on every line. */
static void read_document(struct bytes *bytes, int wanted)
{
    FILE *document = fopen("docs/FORMAT.md", "r");
    if (!document)
        fail_msg("docs/FORMAT.md: run this test in the top folder");
    char line[512];
    bool inside = false;
    int found = 0;
    while (fgets(line, sizeof line, document)) {
        if (strncmp(line, "```", 3) == 0) {
            inside = strncmp(line, "```hex", 6) == 0 && found++ == wanted;
            continue;
        }
        for (char *at = line; inside && *at && *at != '#'; at++)
            if (isxdigit((unsigned char)at[0]) && isxdigit((unsigned char)at[1])) {
                char digits[3] = {at[0], at[1], 0};
                uint8_t byte = (uint8_t)strtoul(digits, NULL, 16);
                bytes_add(bytes, &byte, 1);
                at++;
            }
    }
    fclose(document);
}

static void assert_documented(const struct bytes *bytes, int example)
{
    struct bytes document = {0};
    read_document(&document, example);
    if (document.n == bytes->n && memcmp(document.at, bytes->at, bytes->n) == 0) {
        vec_release(&document);
        return;
    }
    for (size_t i = 0; i < bytes->n; i++)
        print_message("%02x%c", bytes->at[i], i % 16 == 15 || i + 1 == bytes->n ? '\n' : ' ');
    fail_msg("example %d in docs/FORMAT.md is not what is above", example);
}

static void assert_shown(void (*make)(struct profile *), int number)
{
    struct err err = {0};
    struct profile profile, back;
    struct encoder encoder = {0};
    make(&profile);
    encode_whole(&encoder, &profile, NULL);
    assert_documented(&encoder.out, number);
    assert_true(profile_read_bytes("file", encoder.out.at, encoder.out.n, &back, &err));
    assert_same_profile(&profile, &back);
    profile_release(&back);
    profile_release(&profile);
    encoder_release(&encoder);
}

static void the_document_shows_what_is_written(void **state)
{
    (void)state;
    assert_shown(example, 0);
}

static void the_document_shows_a_plain_file(void **state)
{
    (void)state;
    assert_shown(plain_example, 2);
}

/* Everything in the file from `offset` on. */
static void read_file(struct bytes *bytes, const char *path, long offset)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fseek(file, offset, SEEK_SET), 0);
    char part[4096];
    for (size_t n; (n = fread(part, 1, sizeof part, file)) > 0;)
        bytes_add(bytes, part, n);
    fclose(file);
}

static void the_document_shows_what_is_appended(void **state)
{
    (void)state;
    struct err err = {0};
    struct profile profile;
    struct profile_writer *writer;
    struct batch batch;
    struct bytes head = {0}, added = {0};
    char path[] = "/tmp/gait-test-format.XXXXXX", old[sizeof path + 4];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    snprintf(old, sizeof old, "%s.old", path);
    profile_init(&profile);
    profile.mode = PROFILE_SAMPLED;
    batch_init(&batch);
    assert_true(profile_writer_open(path, &profile, &writer, &err));
    profile_writer_attach(writer, &profile);
    read_file(&head, path, 0);
    uint32_t lua = profile_module(&profile, "lua", NULL, 0);
    struct edge_key taken = {lua, lua, {0x1010}, {0x1000}, EDGE_TAKEN};
    struct edge_key fallen = {lua, lua, {0x1010}, {0x1012}, EDGE_FALL};
    struct range_key range = {
        .module = lua, .instructions = 5, .start = {0x1000}, .last = {0x1010}};
    batch_add_edge(&batch, &taken, 1000, 2000);
    batch_add_edge(&batch, &fallen, 10, 20);
    batch_add_range(&batch, &range, 300, 600);
    batch_add_window(&batch, 1 << 24, 3000);
    batch_close(&batch, &profile);
    batch_add_edge(&batch, &fallen, 30, 40);
    batch_add_window(&batch, 1 << 24, 5000);
    batch_close(&batch, &profile);
    assert_true(profile_writer_append(writer, &profile, &err));
    read_file(&added, path, (long)head.n);
    profile_writer_abandon(writer);
    unlink(path);
    unlink(old);
    assert_documented(&added, 1);
    batch_release(&batch);
    profile_release(&profile);
    vec_release(&head);
    vec_release(&added);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_document_shows_what_is_written),
        cmocka_unit_test(the_document_shows_what_is_appended),
        cmocka_unit_test(the_document_shows_a_plain_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
