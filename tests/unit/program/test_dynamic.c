/* What an executable asks of the loader, told of this very test. */
#include "base/err.h"
#include "program/elf/dynamic.h"
#include "program/elf/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void needs_are_found_by_the_begin_of_their_name(void **state)
{
    (void)state;
    struct image image;
    struct err err;
    assert_true(image_open(&image, "/proc/self/exe", &err));
    assert_true(dynamic_loaded(&image));
    const char *found = dynamic_needs(&image, "libcmocka.so");
    assert_non_null(found);
    assert_int_equal(strncmp(found, "libcmocka.so", 12), 0);
    assert_null(dynamic_needs(&image, "libcmocka.so.nowhere"));
    image_close(&image);
}

static void what_no_loader_starts_needs_nothing(void **state)
{
    (void)state;
    struct image image;
    struct err err;
    if (!image_open(&image, "[vdso]", &err))
        skip();
    assert_false(dynamic_loaded(&image));
    assert_null(dynamic_needs(&image, "lib"));
    image_close(&image);
}

/* Names beyond the end of the file, or without an end, are none. */
static void damage_gives_no_name(void **state)
{
    (void)state;
    struct image image;
    struct err err;
    assert_true(image_open(&image, "/proc/self/exe", &err));
    for (size_t at = 0x40; at < 0x4000 && at < image.file.n_bytes; at++) {
        uint8_t kept = image.file.bytes[at];
        image.file.bytes[at] = (uint8_t)~kept;
        (void)dynamic_needs(&image, "libnone");
        image.file.bytes[at] = kept;
    }
    assert_non_null(dynamic_needs(&image, "libcmocka"));
    image_close(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(needs_are_found_by_the_begin_of_their_name),
        cmocka_unit_test(what_no_loader_starts_needs_nothing),
        cmocka_unit_test(damage_gives_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
