#include "waste/waste_pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { ONE = 11, OTHER = 12, PAGE = 1 << 12 };
static const uint64_t own = 0x7f0000001000;

static bool window(struct waste_pages *pages, int32_t tid, uint64_t address)
{
    waste_pages_window(pages, tid);
    return waste_pages_touch(pages, address);
}

/* A page is a thread's own once enough windows of another did not touch it, and no longer once one
 * does; windows of its own say nothing. */
static void others_must_have_been_seen(void **state)
{
    (void)state;
    struct waste_pages pages;
    waste_pages_init(&pages);
    for (int i = 0; i < 100; i++)
        assert_false(window(&pages, ONE, own));
    for (int i = 0; i < WASTE_OTHERS_WINDOWS; i++) {
        assert_false(window(&pages, ONE, own));
        window(&pages, OTHER, own + PAGE);
    }
    assert_true(window(&pages, ONE, own + 8));
    assert_false(waste_pages_touch(&pages, own + 2 * PAGE)); /* touched for the first time */
    assert_false(waste_pages_touch(&pages, own + PAGE));     /* from now on of both */
    assert_true(waste_pages_touch(&pages, own));
    for (int i = 0; i < 2 * WASTE_OTHERS_WINDOWS; i++) {
        assert_false(window(&pages, OTHER, own + PAGE));
        window(&pages, ONE, own);
    }
    assert_false(window(&pages, OTHER, own));
    assert_false(window(&pages, ONE, own));
    waste_pages_release(&pages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(others_must_have_been_seen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
