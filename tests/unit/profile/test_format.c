/* docs/FORMAT.md holds a whole file in hexadecimal, byte for byte what the writer makes. */
#include "some_profile.h"

#include "profile/encode.h"

#include <ctype.h>

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
    struct edge_key taken = {lua, lua, 0x1010, 0x1000, EDGE_TAKEN};
    struct edge_key returned = {MODULE_NONE, lua, 0, 0x1000, EDGE_RETURN};
    struct range_key range = {.module = lua, .instructions = 5, .start = 0x1000, .last = 0x1010};
    struct point_key point = {.module = lua, .address = 0x1004};
    *table_at(&profile->edges, &taken) = (struct sums){1000, 2000, 1000000, 3000000, 4, 5};
    table_at(&profile->edges, &returned)->count = 7;
    table_at(&profile->ranges, &range)->time = 300;
    table_at(&profile->points, &point)->time = 1 << UNIT_BITS;
    profile->totals = (struct totals){.batches = 1,
                                      .windows = 1,
                                      .interrupts = 2,
                                      .instructions = 2000,
                                      .time = 1 << UNIT_BITS,
                                      .count = 3000,
                                      .time_xx = (u128)1 << 48,
                                      .count_xx = 9000000,
                                      .user_ns = 1000000000};
    profile->totals.losses[LOSS_cut] = 1;
}

/* The bytes of the block fenced by ```hex: two digits each, up to a '#' on every line. */
static void read_document(struct bytes *bytes)
{
    FILE *document = fopen("docs/FORMAT.md", "r");
    if (!document)
        fail_msg("docs/FORMAT.md: run this test in the top folder");
    char line[512];
    bool inside = false;
    while (fgets(line, sizeof line, document)) {
        if (strncmp(line, "```", 3) == 0) {
            inside = strncmp(line, "```hex", 6) == 0;
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

static void dump(const struct bytes *bytes)
{
    for (size_t i = 0; i < bytes->n; i++)
        print_message("%02x%c", bytes->at[i], i % 16 == 15 || i + 1 == bytes->n ? '\n' : ' ');
}

static void the_document_shows_what_is_written(void **state)
{
    (void)state;
    struct err err = {0};
    struct profile profile, back;
    struct encoder encoder = {0};
    struct bytes document = {0};
    example(&profile);
    encode_whole(&encoder, &profile, NULL);
    read_document(&document);
    if (document.n != encoder.out.n || memcmp(document.at, encoder.out.at, document.n) != 0) {
        dump(&encoder.out);
        fail_msg("the example in docs/FORMAT.md is not the file above");
    }
    assert_true(profile_read_bytes("docs/FORMAT.md", document.at, document.n, &back, &err));
    assert_same_profile(&profile, &back);
    profile_release(&back);
    profile_release(&profile);
    vec_release(&document);
    encoder_release(&encoder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_document_shows_what_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
