#include "some_profile.h"

#include "profile/file/encode.h"
#include "profile/file/file.h"

#include <string.h>

/* One value of one place: a pointer into the second module, by a caller of the third. */
static void value_add(struct profile *profile, const char *const *paths, uint64_t count)
{
    uint32_t modules[3];
    for (int i = 0; i < 3; i++)
        modules[i] = profile_module(profile, paths[i], NULL, 0);
    struct value_key key = {
        .kind = 11 | VALUE_STRIDE, .address = 0x1000, .value = 0x20, .caller = 0x30};
    for (int i = 0; i < 3; i++) {
        if (!strcmp(paths[i], "/place"))
            key.module = modules[i];
        else if (!strcmp(paths[i], "/data"))
            key.to = modules[i];
        else
            key.caller_module = modules[i];
    }
    table_at(&profile->values, &key)->count += count;
    struct value_key number = key;
    number.to = number.caller_module = MODULE_NONE;
    table_at(&profile->values, &number)->count += 2 * count;
}

static const char *module_path(const struct profile *profile, uint32_t module)
{
    return module == MODULE_NONE ? "none" : profile->modules.at[module].path;
}

static void assert_values(const struct profile *profile, uint64_t count)
{
    assert_int_equal(profile->values.n, 2);
    for (uint32_t i = 0; i < 2; i++) {
        struct value_key key;
        memcpy(&key, map_key(&profile->values.keys, i), sizeof key);
        bool pointer = key.to != MODULE_NONE;
        assert_string_equal(module_path(profile, key.module), "/place");
        assert_string_equal(module_path(profile, key.to), pointer ? "/data" : "none");
        assert_string_equal(module_path(profile, key.caller_module), pointer ? "/caller" : "none");
        assert_int_equal(key.kind, 11 | VALUE_STRIDE);
        assert_int_equal(key.caller, 0x30);
        assert_int_equal(profile->values.at[i].count, pointer ? count : 2 * count);
    }
}

static void modules_of_values_are_followed(void **state)
{
    (void)state;
    static const char *const one[] = {"/place", "/data", "/caller"}, *const other[] = {"/caller",
                                                                                       "/place",
                                                                                       "/data"};
    struct profile into, from, read;
    struct err err;
    profile_init(&into);
    profile_init(&from);
    value_add(&into, one, 3);
    value_add(&from, other, 4);
    assert_true(profile_merge(&into, &from, &err));
    assert_values(&into, 7);
    struct encoder encoder = {0};
    encode_whole(&encoder, &into, NULL);
    assert_true(profile_read_bytes("values", encoder.out.at, encoder.out.n, &read, &err));
    assert_values(&read, 7);
    encoder_release(&encoder);
    profile_release(&read);
    profile_release(&from);
    profile_release(&into);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(modules_of_values_are_followed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
