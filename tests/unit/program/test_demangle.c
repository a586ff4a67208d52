#include "program/names/demangle.h"

#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* What c++filt of binutils says too; see names_are_those_of_cxxfilt. */
static const struct {
    const char *linkage, *readable;
} names[] = {
    {"_Z3fooi", "foo(int)"},
    {"_ZN3foo3barEv.cold", "foo::bar() [clone .cold]"},
    {"_ZNSt6vectorIiSaIiEE9push_backERKi",
     "std::vector<int, std::allocator<int> >::push_back(int const&)"},
    {"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"},
    {"_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h93632"
     "18c5ab1e9e9E",
     "<Test + 'static as foo::Bar<Test>>::bar"},
    {"_RNvC6_123foo3bar", "123foo::bar"},
    {"_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"},
    {"_RNvMCs4fqI2P2rA04_7mycrateNtB2_3Foo3bar", "<mycrate::Foo>::bar"},
    {"_RNvXCs1_7mycrateNtB2_3FooNtB2_3Bar3baz", "<mycrate::Foo as mycrate::Bar>::baz"},
    {"_RNCNvCs1_7mycrate4main0B3_", "mycrate::main::{closure#0}"},
    {"_RNCNvCs1_7mycrate4mains_0B3_", "mycrate::main::{closure#1}"},
    {"_RINvCs1_7mycrate3fooReRSlTmhEAtj8_E", "mycrate::foo::<&str, &[i32], (u32, u8), [u16; 8]>"},
    {"_RINvCs1_7mycrate3fooKj7b_Kana_Kb1_Kc41_E", "mycrate::foo::<123, -10, true, 'A'>"},
    {"_RINvCs1_7mycrate3fooFUKCPhOaEuE", "mycrate::foo::<unsafe extern \"C\" fn(*const u8, *mut "
                                         "i8)>"},
    {"_RNvCs1_7mycrateu8gdel_5qa", "mycrate::g\xC3\xB6"
                                   "del"},
};

static void known_names(void **state)
{
    (void)state;
    struct demangler demangler;
    demangler_init(&demangler);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *got = demangle(&demangler, names[i].linkage);
        assert_string_equal(got, names[i].readable);
        assert_ptr_equal(demangle(&demangler, names[i].linkage), got);
    }
    assert_string_equal(demangle(&demangler, "_Z3fooi@plt"), "foo(int)@plt");
    demangler_release(&demangler);
}

static void others_come_back_as_they_are(void **state)
{
    (void)state;
    static const char *const others[] = {"main", "",     "_",      "_Z",           "_Zwhat",
                                         "_R",   "_RNv", "_RC99x", "_RNvB_B_3foo", "_start"};
    struct demangler demangler;
    demangler_init(&demangler);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_ptr_equal(demangle(&demangler, others[i]), others[i]);
    demangler_release(&demangler);
}

static void a_name_that_stands_for_an_endless_one_is_left(void **state)
{
    (void)state;
    /* Each tuple holds the one before it twice. */
    char linkage[512] = "_RINvC1a1bTmmE";
    size_t start = 7;
    for (int i = 0; i < 30; i++) {
        size_t here = strlen(linkage) - 2;
        char digit[2] = {(char)(start - 1 < 10   ? '0' + start - 1
                                : start - 1 < 36 ? 'a' + start - 11
                                                 : 'A' + start - 37),
                         0};
        if (start > 60)
            break;
        strcat(strcat(strcat(strcat(strcat(strcat(linkage, "TB"), digit), "_B"), digit), "_"), "E");
        start = here;
    }
    strcat(linkage, "E");
    struct demangler demangler;
    demangler_init(&demangler);
    const char *got = demangle(&demangler, linkage);
    assert_true(strlen(got) < 70000);
    demangler_release(&demangler);
}

static void names_are_those_of_cxxfilt(void **state)
{
    (void)state;
    oracle_need("c++filt");
    struct demangler demangler;
    demangler_init(&demangler);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        FILE *filter =
            oracle_open("c++filt -i -s %s '%s'", i < 3 ? "gnu-v3" : "rust", names[i].linkage);
        char line[512];
        assert_non_null(fgets(line, sizeof line, filter));
        pclose(filter);
        line[strcspn(line, "\n")] = 0;
        assert_string_equal(demangle(&demangler, names[i].linkage), line);
    }
    demangler_release(&demangler);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_names),
        cmocka_unit_test(others_come_back_as_they_are),
        cmocka_unit_test(a_name_that_stands_for_an_endless_one_is_left),
        cmocka_unit_test(names_are_those_of_cxxfilt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
