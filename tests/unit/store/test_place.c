#include "store/place.h"

#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define S 1000000000u
static const uint64_t now = 1795000000ull * S;

static void files_are_no_stores(void **state)
{
    (void)state;
    assert_false(store_named("gait.data"));
    assert_false(store_named("-"));
    assert_false(store_named("/tmp/sqlite:x"));
    assert_true(store_named("sqlite:x"));
    assert_true(store_named("postgres://h/b"));
}

static void words_are_taken_apart(void **state)
{
    struct arena arena = {0};
    struct store_place place;
    struct err err;
    (void)state;
    assert_true(store_place_parse(
        &arena, "sqlite:a/b?service=x%26y&since=2h&until=2026-11-19&build=0af&mode=exact", now,
        &place, &err));
    assert_false(place.postgres);
    assert_string_equal(place.where, "a/b");
    assert_string_equal(place.query.service, "x&y");
    assert_string_equal(place.query.build, "0af");
    assert_string_equal(place.query.mode, "exact");
    assert_null(place.query.machine);
    assert_int_equal(place.query.since_ns, now - 7200ull * S);
    assert_int_equal(place.query.until_ns, 1795046400ull * S);
    arena_release(&arena);
}

static void libpq_gets_its_own_words(void **state)
{
    struct arena arena = {0};
    struct store_place place;
    struct err err;
    (void)state;
    assert_true(store_place_parse(&arena,
                                  "postgresql://u:s%40@h:5/b?sslmode=require&service=web&a=%zz&b",
                                  now, &place, &err) == false);
    assert_true(store_place_parse(
        &arena, "postgresql://u:s%40@h:5/b?sslmode=require&service=web&host=%2ftmp", now, &place,
        &err));
    assert_true(place.postgres);
    assert_string_equal(place.where, "postgresql://u:s%40@h:5/b?sslmode=require&host=%2ftmp");
    assert_string_equal(place.shown, "postgresql://u@h:5/b");
    assert_string_equal(place.query.service, "web");
    arena_release(&arena);
}

static void passwords_are_not_shown(void **state)
{
    static const struct {
        const char *uri, *shown;
    } cases[] = {
        {"postgresql://h:5/b", "postgresql://h:5/b"},
        {"postgresql://u:p@x:q@h/b?a=1", "postgresql://u@h/b"},
        {"postgres://u@h/b:c@d", "postgres://u@h/b:c@d"},
        {"postgresql://:p@/b", "postgresql://@/b"},
    };
    struct arena arena = {0};
    struct store_place place;
    struct err err;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(store_place_parse(&arena, cases[i].uri, now, &place, &err));
        assert_string_equal(place.shown, cases[i].shown);
    }
    arena_release(&arena);
}

static void what_makes_no_sense_is_refused(void **state)
{
    static const char *const cases[] = {
        "sqlite:",          "sqlite:x?sinze=1h",        "sqlite:x?since=yesterday",
        "sqlite:x?since=",  "sqlite:x?since=-1h",       "sqlite:x?since=1",
        "sqlite:x?build=G", "sqlite:x?build=",          "sqlite:x?service=%0",
        "sqlite:x?service", "sqlite:x?service=a%00b",   "sqlite:x?since=1h&until=2h",
        "file.data",        "sqlite:x?until=2026-13-01"};
    struct arena arena = {0};
    struct store_place place;
    struct err err;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_false(store_place_parse(&arena, cases[i], now, &place, &err));
        assert_int_equal(err.kind, ERR_USAGE);
    }
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_no_stores),
        cmocka_unit_test(words_are_taken_apart),
        cmocka_unit_test(libpq_gets_its_own_words),
        cmocka_unit_test(passwords_are_not_shown),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
