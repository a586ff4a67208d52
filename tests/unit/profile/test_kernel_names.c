#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/kernel_names.h"
#include "profile/profile.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct world {
    struct profile profile;
    struct kernel_names names;
    char path[64];
};

static void world_begin(struct world *world, const char *symbols)
{
    profile_init(&world->profile);
    kernel_names_init(&world->names);
    snprintf(world->path, sizeof world->path, "/tmp/kernel_names.%d", (int)getpid());
    FILE *file = fopen(world->path, "w");
    fputs(symbols, file);
    fclose(file);
}

static void world_tell(struct world *world)
{
    kernel_names_tell_from(&world->names, &world->profile, 7, world->path);
}

static void world_end(struct world *world)
{
    unlink(world->path);
    kernel_names_release(&world->names);
    profile_release(&world->profile);
}

static const char *name_at(const struct world *world, uint64_t address)
{
    const struct name *name = names_find(&world->profile.names, 7, address);
    return name ? name->text : NULL;
}

static const char symbols[] = "ffffffff81000000 T first\n"
                              "ffffffff81000000 t alias\n"
                              "ffffffff81000100 t second\n"
                              "ffffffff81000180 D data\n"
                              "ffffffff81000200 T third\n"
                              "ffffffff81000300 T fourth\n"
                              "ffffffffc0000010 t inside\t[loop]\n"
                              "ffffffff81000280 W late\n";

static void covers(void **state)
{
    (void)state;
    struct world world;
    world_begin(&world, symbols);
    static const uint64_t seen[] = {0xffffffff81000010, 0xffffffff810001f0, 0xffffffff81000100,
                                    0xffffffff81000290, 0xffffffffc0000020, 0xffffffff80000000};
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
        kernel_names_see(&world.names, seen[i]);
    world_tell(&world);
    assert_string_equal(name_at(&world, seen[0]), "first");
    assert_string_equal(name_at(&world, seen[1]), "second");
    assert_string_equal(name_at(&world, seen[2]), "second");
    assert_string_equal(name_at(&world, seen[3]), "late");
    assert_string_equal(name_at(&world, seen[4]), "inside [loop]");
    assert_null(name_at(&world, seen[5]));
    /* What was not seen is not kept, and stretches end where the next symbol starts. */
    assert_int_equal(world.profile.names.n, 4);
    assert_null(name_at(&world, 0xffffffff81000200));
    assert_null(name_at(&world, 0xffffffff81000300));
    world_end(&world);
}

/* kernel.kptr_restrict: every address is zero. */
static void hidden(void **state)
{
    (void)state;
    struct world world;
    world_begin(&world, "0000000000000000 T first\n0000000000000000 T second\n");
    kernel_names_see(&world.names, 0xffffffff81000010);
    world_tell(&world);
    assert_int_equal(world.profile.names.n, 0);
    world_end(&world);
}

static void only_news(void **state)
{
    (void)state;
    struct world world;
    world_begin(&world, symbols);
    kernel_names_see(&world.names, 0xffffffff81000010);
    world_tell(&world);
    profile_clear(&world.profile);
    kernel_names_see(&world.names, 0xffffffff81000210);
    world_tell(&world);
    assert_int_equal(world.profile.names.n, 1);
    assert_string_equal(name_at(&world, 0xffffffff81000210), "third");
    world_end(&world);
}

static void nonsense(void **state)
{
    (void)state;
    struct world world;
    world_begin(&world, "\nzz T x\nffffffff81000000\nffffffff81000000 T\nffffffff81000004 T ok");
    kernel_names_see(&world.names, 0xffffffff81000010);
    world_tell(&world);
    assert_int_equal(world.profile.names.n, 0); /* the last line has no end */
    world_end(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(covers), cmocka_unit_test(hidden),
                                       cmocka_unit_test(only_news), cmocka_unit_test(nonsense)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
