/* Zones: near the code that they serve, and in reach of the copies that they jump to. */
#include "walk/cache/zones.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <stdlib.h>
#include <sys/mman.h>

static struct zones zones;
/* Where nothing is. */
#define CODE UINT64_C(0x350000000000)

static int set_up(void **state)
{
    (void)state;
    zones = (struct zones){0};
    zones.arena = mmap(NULL, ZONES_ARENA_BYTES, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return zones.arena == MAP_FAILED;
}

static int tear_down(void **state)
{
    (void)state;
    zones_unmap(&zones);
    return 0;
}

static int64_t apart(const struct zone *zone, uint64_t from)
{
    return llabs((int64_t)(zone->runs_at - from));
}

static const struct zone *get(uint64_t pc, uint32_t use, uint64_t beside)
{
    const struct zone *zone = zones_get(
        &zones, &(struct zone_wish){.pc = pc, .use = use, .room = 4096, .beside = beside});
    assert_non_null(zone);
    return zone;
}

static void near_code(void **state)
{
    (void)state;
    const struct zone *zone = get(CODE, FLAVOUR_PLAIN, 0);
    assert_in_range(apart(zone, CODE), 0, 1 << 30);
    assert_ptr_equal(get(CODE + 100, FLAVOUR_PLAIN, 0), zone);
    assert_ptr_not_equal(get(CODE, ZONE_COLD, 0), zone);
}

/* Hot code far above, and cold ways out as near below the code as can be, would be more than 2 GiB
 * apart: a jump between them went 4 GiB astray. */
static void in_reach_of_copies(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++) {
        const uint64_t far = 0xa0000000;
        const struct zone *hot = get(CODE, FLAVOUR_PLAIN, 0);
        uint64_t pc = side ? hot->runs_at + far : hot->runs_at - far;
        const struct zone *cold = get(pc, ZONE_COLD, hot->runs_at);
        assert_in_range(apart(cold, pc), 0, 0x78000000);
        assert_in_range(apart(cold, hot->runs_at), 0, INT32_MAX - ZONE_BYTES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(near_code, set_up, tear_down),
        cmocka_unit_test_setup_teardown(in_reach_of_copies, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
