#include "base/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void indices_follow_first_appearance(void **state)
{
    (void)state;
    struct map map;
    map_init(&map, sizeof(uint64_t));
    for (uint64_t i = 0; i < 100000; i++) {
        if (i % 20000 == 0) /* before there are any keys, between, and for less than there are */
            map_reserve(&map, (uint32_t)(i ? 60000 : 50));
        uint64_t key = i * 0x9E3779B97F4A7C15u;
        assert_int_equal(map_add(&map, &key), i);
    }
    for (uint64_t i = 0; i < 100000; i++) {
        uint64_t key = i * 0x9E3779B97F4A7C15u;
        assert_int_equal(map_add(&map, &key), i);
        assert_int_equal(map_find(&map, &key), i);
        assert_memory_equal(map_key(&map, (uint32_t)i), &key, sizeof key);
    }
    uint64_t absent = 1;
    assert_int_equal(map_find(&map, &absent), MAP_NONE);
    map_release(&map);
    assert_int_equal(map_find(&map, &absent), MAP_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(indices_follow_first_appearance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
