/* A closed file whose bytes have changed: found whatever byte it is, and one chunk costs no other.
 */
#include "some_profile.h"

#include "profile/file/chunk.h"

#include <unistd.h>

static struct bytes file;

static int make_file(void **state)
{
    (void)state;
    struct err err;
    struct profile profile;
    char path[] = "/tmp/gait-closed-XXXXXX";
    close(mkstemp(path));
    some_profile(&profile, PROFILE_SAMPLED, 40);
    some_stacks(&profile, &profile.stacks, 10);
    profile.complete = true;
    profile.totals.losses[LOSS_cut] = 1;
    assert_true(profile_write(path, &profile, &err));
    profile_release(&profile);
    FILE *from = fopen(path, "rb");
    uint8_t block[4096];
    for (size_t n; (n = fread(block, 1, sizeof block, from));)
        bytes_add(&file, block, n);
    fclose(from);
    unlink(path);
    strcat(path, ".old");
    unlink(path);
    return 0;
}

static int release_file(void **state)
{
    (void)state;
    vec_release(&file);
    return 0;
}

static void read_whole(struct profile *ret_profile)
{
    struct err err;
    assert_true(profile_read_bytes("f", file.at, file.n, ret_profile, &err));
}

/* The rest is what it was: a table is either whole or lacks the chunk. */
static void assert_lacks_only(uint32_t type, const struct profile *whole,
                              const struct profile *back)
{
    assert_true(back->edges.n == whole->edges.n || type == CHUNK_EDGES);
    assert_true(back->ranges.n == whole->ranges.n || type == CHUNK_RANGES);
    assert_true(back->stacks.nodes.n == whole->stacks.nodes.n || type == CHUNK_STACKS);
    assert_true(back->totals.losses[LOSS_cut] == 1 || type == CHUNK_LOSSES);
    assert_int_equal(back->totals.windows, whole->totals.windows);
    assert_int_equal(back->modules.n, whole->modules.n);
}

static void assert_costs(uint32_t type, const struct profile *whole)
{
    struct err err;
    struct profile back;
    if (type == CHUNK_HEADER) {
        assert_false(profile_read_bytes("f", file.at, file.n, &back, &err));
        return;
    }
    assert_true(profile_read_bytes("f", file.at, file.n, &back, &err));
    assert_true(back.damaged);
    assert_false(back.complete);
    assert_non_null(back.warning);
    assert_int_equal(back.ruined, type == CHUNK_MODULES || type == CHUNK_TOTALS);
    if (!back.ruined)
        assert_lacks_only(type, whole, &back);
    profile_release(&back);
}

static void a_damaged_chunk_costs_itself(void **state)
{
    (void)state;
    struct chunk_source source = {.fd = -1, .memory = file.at, .size = file.n};
    struct chunk chunk = {.next = FILE_START_BYTES};
    struct profile whole;
    struct err err;
    int seen = 0;
    read_whole(&whole);
    while (chunk_read(&source, chunk.next, &chunk, &err) == CHUNK_WHOLE) {
        size_t at = chunk.offset + (chunk.next - chunk.offset > CHUNK_HEADER_BYTES ? 12 : 8);
        file.at[at] ^= 1;
        assert_costs(chunk.type, &whole);
        file.at[at] ^= 1;
        seen++;
    }
    assert_true(seen >= 8);
    chunk_release(&chunk);
    profile_release(&whole);
}

/* Any byte: it is refused, or said to be damaged. */
static void no_change_goes_unnoticed(void **state)
{
    (void)state;
    static const uint8_t flips[] = {1, 0xff};
    for (size_t at = 0; at < file.n; at++)
        for (size_t i = 0; i < sizeof flips; i++) {
            struct err err;
            struct profile back;
            file.at[at] ^= flips[i];
            if (profile_read_bytes("f", file.at, file.n, &back, &err)) {
                if (!back.damaged || !back.warning || back.complete)
                    fail_msg("byte %zu, ^ 0x%x: not said to be damaged", at, flips[i]);
                profile_release(&back);
            }
            file.at[at] ^= flips[i];
        }
}

/* What a kill leaves is no damage. */
static void a_cut_is_no_damage(void **state)
{
    (void)state;
    for (size_t n = FILE_START_BYTES; n < file.n; n++) {
        struct err err;
        struct profile back;
        if (!profile_read_bytes("f", file.at, n, &back, &err))
            continue;
        assert_false(back.damaged);
        assert_false(back.complete);
        profile_release(&back);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_chunk_costs_itself),
        cmocka_unit_test(no_change_goes_unnoticed),
        cmocka_unit_test(a_cut_is_no_damage),
    };
    return cmocka_run_group_tests(tests, make_file, release_file);
}
