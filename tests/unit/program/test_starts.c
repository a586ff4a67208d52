#include "program/symbols/starts.h"

#include "base/err.h"
#include "program/elf/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* This very program: what the loader calls of it, and what it calls itself. */
static int built;

__attribute__((constructor)) static void made_first(void)
{
    built = 1;
}

__attribute__((destructor)) static void unmade_last(void)
{
    built = 2;
}

static bool has(const struct starts *starts, function_id function)
{
    for (size_t i = 0; i < starts->n; i++)
        if (starts->at[i] == function)
            return true;
    return false;
}

static bool is_start(const struct starts *starts, const struct symbols *symbols, const char *name)
{
    for (size_t i = 0; i < symbols->functions.n; i++)
        if (strcmp(symbols->functions.at[i].name, name) == 0)
            return has(starts, (function_id)i);
    fail_msg("no function %s", name);
    return false;
}

static void the_loader_enters_these(void **state)
{
    (void)state;
    struct image image;
    struct symbols symbols;
    struct starts starts;
    struct err err;
    assert_int_equal(built, 1);
    assert_true(image_open(&image, "/proc/self/exe", &err));
    symbols_build(&symbols, &image);
    starts_find(&starts, &image, &symbols);
    static const char *const entered[] = {"main",  "_start",     "_init",
                                          "_fini", "made_first", "unmade_last"};
    for (size_t i = 0; i < sizeof entered / sizeof *entered; i++)
        assert_true(is_start(&starts, &symbols, entered[i]));
    assert_false(is_start(&starts, &symbols, "the_loader_enters_these"));
    assert_false(has(&starts, FUNCTION_NONE));
    starts_release(&starts);
    symbols_release(&symbols);
    image_close(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_loader_enters_these)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
