#include "store/push.h"

#include "base/err.h"
#include "profile/file/file.h"
#include "store/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "/tmp/test_push_XXXXXX";

static const char *recording_make(struct arena *arena, unsigned number)
{
    static const uint8_t id[4] = {1, 2, 3, 4};
    struct profile profile;
    struct err err;
    const char *path = arena_format(arena, "%s/%u", folder, number);
    profile_init(&profile);
    profile.mode = PROFILE_PLAIN;
    profile.complete = true;
    profile.start_unix_ns = number;
    profile.command = arena_string(&profile.arena, "served");
    uint32_t module = profile_module(&profile, "/bin/served", id, sizeof id);
    const uint8_t bytes[] = "names and code";
    const struct kept_part part = {
        .module = module, .kind = 1, .at = 16, .n = sizeof bytes, .bytes = bytes};
    kept_add(&profile.kept, &profile.arena, &part);
    assert_true(profile_write(path, &profile, &err));
    profile_release(&profile);
    return path;
}

/* Packs that a sender saw in one transaction may be forgotten before the next. */
static void packs_are_asked_for_in_each_transaction(void **state)
{
    struct arena arena = {0};
    struct store store;
    struct push push;
    struct store_checked checked;
    struct err err;
    (void)state;
    assert_true(
        store_open(arena_format(&arena, "sqlite:%s/store", folder), SQL_MAKE, &store, &err));
    push_init(&push, &store, &(struct push_options){0});
    assert_true(push_file(&push, recording_make(&arena, 1), &err));
    assert_true(push_commit(&push, &err));
    assert_true(sql_run(store.sql, "DELETE FROM gait_recordings", &err));
    assert_true(sql_run(store.sql, "DELETE FROM gait_code", &err));
    assert_true(push_file(&push, recording_make(&arena, 2), &err));
    assert_true(push_file(&push, recording_make(&arena, 3), &err));
    assert_true(push_commit(&push, &err));
    assert_int_equal(push.sums.sent, 3);
    push_release(&push);
    assert_true(store_check(&store, &checked, &err));
    assert_int_equal(checked.bodies, 2);
    assert_int_equal(checked.packs, 1);
    assert_int_equal(checked.lost_parts, 0);
    assert_int_equal(checked.damaged, 0);
    store_close(&store);
    arena_release(&arena);
}

static int folder_make(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int folder_remove(void **state)
{
    static const char *const names[] = {"1", "2", "3", "store", "store-wal", "store-shm"};
    char path[64];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packs_are_asked_for_in_each_transaction),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
