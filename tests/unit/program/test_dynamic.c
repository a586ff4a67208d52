/* What an executable asks of the loader, told of this very test. */
#include "base/err.h"
#include "program/elf/dynamic.h"
#include "program/elf/image.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void values_are_found_by_their_tag(void **state)
{
    (void)state;
    struct image image;
    struct err err;
    uint64_t value = 0;
    assert_true(image_open(&image, "/proc/self/exe", &err));
    assert_true(dynamic_loaded(&image));
    assert_true(dynamic_value(&image, DT_STRTAB, &value) && value);
    assert_false(dynamic_value(&image, DT_HIPROC, &value));
    image_close(&image);
}

static void what_no_loader_starts_is_not_loaded(void **state)
{
    (void)state;
    struct image image;
    struct err err;
    if (!image_open(&image, "[vdso]", &err))
        skip();
    assert_false(dynamic_loaded(&image));
    image_close(&image);
}

static void damage_is_survived(void **state)
{
    (void)state;
    struct image image;
    struct err err;
    uint64_t value;
    assert_true(image_open(&image, "/proc/self/exe", &err));
    for (size_t at = 0x40; at < 0x4000 && at < image.file.n_bytes; at++) {
        uint8_t kept = image.file.bytes[at];
        image.file.bytes[at] = (uint8_t)~kept;
        (void)dynamic_value(&image, DT_HIPROC, &value);
        image.file.bytes[at] = kept;
    }
    assert_true(dynamic_value(&image, DT_STRTAB, &value));
    image_close(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_found_by_their_tag),
        cmocka_unit_test(what_no_loader_starts_is_not_loaded),
        cmocka_unit_test(damage_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
