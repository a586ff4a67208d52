#include "program/names/brief.h"
#include "program/names/match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void names_are_meant_in_many_ways(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *linkage, *readable;
        bool matches;
    } cases[] = {
        {"main", "main", "main", true},
        {"mai", "main", "main", false},
        {"mai*", "main", "main", true},
        {"m[ab]in", "main", "main", true},
        {"_Z3fooi", "_Z3fooi", "foo(int)", true},
        {"foo(int)", "_Z3fooi", "foo(int)", true},
        {"foo", "_Z3fooi", "foo(int)", true},
        {"fo", "_Z3fooi", "foo(int)", false},
        {"a::b<c>::d", "x", "int a::b<c>::d(e (*)(f), g<h i>) const", true},
        {"a::b::d", "x", "int a::b<c>::d(e (*)(f), g<h i>) const", true},
        {"a::*", "x", "int a::b<c>::d(e)", true},
        {"d", "x", "int a::b<c>::d(e)", false},
        {"a::operator()", "x", "a::operator()(int) const", true},
        {"(anonymous namespace)::f", "x", "(anonymous namespace)::f(int)", true},
        {"operator new", "_Znwm", "operator new(unsigned long)", true},
        {"work", "work.constprop.0", "work.constprop.0", true},
        {"work.constprop.0", "work.constprop.0", "work.constprop.0", true},
        {"free", "free@plt", "free@plt", false},
        {"a::f", "_ZN1a1fEi@plt", "a::f(int)@plt", false},
        {"a::f@plt", "_ZN1a1fEi@plt", "a::f(int)@plt", true},
        {"", "main", "main", false},
        {"", ".hidden", ".hidden", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (name_matches(cases[i].pattern, cases[i].linkage, cases[i].readable) != cases[i].matches)
            fail_msg("%s and %s", cases[i].pattern, cases[i].readable);
}

static void nearer_names_are_nearer(void **state)
{
    (void)state;
    assert_int_equal(name_distance("main", "main"), 0);
    assert_true(name_distance("sort", "sort_rows") < name_distance("sort", "fort"));
    assert_true(name_distance("luaV_excute", "luaV_execute") <
                name_distance("luaV_excute", "luaV_concat"));
}

static void long_names_lose_what_matters_least(void **state)
{
    (void)state;
    static const struct {
        const char *readable, *brief;
    } cases[] = {
        {"short(int)", "short(int)"},
        {"void a::long_name<b, c>(d, e, f, g)", "a::long_name<b, c>"},
        {"void std::sort<very_long_iterator<int> >(d)", "std::sort"},
        {"bool std::operator< <char, traits, alloc>(a, b)", "std::operator<"},
        {"std::ostream& std::operator<< <traits<char> >(a)", "std::operator<<"},
        {"a::b<cccccccccccccc>::operator()(int, int, int) const", "a::b::operator()"},
        {"(anonymous namespace)::f(int, int, int, int)", "(anonymous namespace)::f"},
        {"std::_Rb_tree<a, b, c, d, e, f>::_M_erase(g)", "std::_Rb_tree::_M_erase"},
        {"aaaaaaaaaa::bbbbbbbbbb<c>::Type<d>::method(int)", "Type::method"},
        {"void f<int>(x)::{lambda(int)#1}::operator()(int) const", "{lambda#1}::operator()"},
        {"(anonymous namespace)::T<int>::run(int) const", "T::run"},
        {"decltype(auto) std::visit<aaaaaaaaaaaaaaaaa>(b)", "std::visit"},
        {"<alloc::vec::Vec<T> as core::ops::Drop>::drop", "alloc::vec::Vec::drop"},
        {"<&mut I as core::iter::Iterator>::next", "I::next"},
        {"<a::b::c::d::e::f::Type as a::Trait>::next", "Type::next"},
        {"h::e::<impl h::map::HashMap<K,V>>::entry", "h::e::HashMap::entry"},
        {"c::<impl c::Iter for c::Range<A>>::next", "c::Range::next"},
        {"core::ops::function::FnOnce::call_once::<aaa>", "FnOnce::call_once"},
        {"<[T] as core::slice::Join<S>>::join_all", "[T]::join_all"},
        {"std::name(aaaaaaaaaaa, bbbbbbbbbbb)@plt", "std::name@plt"},
        {"<<<<<<<<<<<<<<<<<<<<<<<<<<<<", "<<<<<<<<<<<<<<<<<<<<<..."},
        {"a_name_that_is_longer_than_the_column", "a_name_that_is_longer..."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char brief[128];
        name_brief(cases[i].readable, brief, sizeof brief, 24);
        assert_string_equal(brief, cases[i].brief);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_meant_in_many_ways),
        cmocka_unit_test(nearer_names_are_nearer),
        cmocka_unit_test(long_names_lose_what_matters_least),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
