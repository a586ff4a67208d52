#include "process/selection.h"

#include "base/err.h"
#include "program/insn/opclass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void refused(const char *text, const char *why)
{
    struct selection selection = {0};
    struct err err;
    assert_false(selection_parse(&selection, text, &err));
    if (!strstr(err.text, why))
        fail_msg("%s: %s", text, err.text);
    selection_release(&selection);
}

static void what_means_nothing_is_refused(void **state)
{
    (void)state;
    refused("", "empty");
    refused("main,", "empty");
    refused("lua+0x10", "MODULE+0xSTART-0xEND");
    refused("lua+0x10-0x10", "MODULE+0xSTART-0xEND");
    refused("lua+0x10-0x20z", "MODULE+0xSTART-0xEND");
    refused("+0x10-0x20", "MODULE+0xSTART-0xEND");
    refused("class:jump", "load, store, branch");
}

static void places_and_sorts_are_told_apart(void **state)
{
    (void)state;
    struct selection selection = {0};
    struct err err;
    assert_true(selection_parse(&selection, "load,std::map<int, char>::at(int, char),f*", &err));
    assert_true(selection_parse(&selection, "function:div,lib.so+0x10-0x20", &err));
    assert_int_equal(selection.classes, 1u << OPCLASS_load);
    assert_int_equal(selection.items.n, 4);
    assert_string_equal(selection.items.at[0].pattern, "std::map<int, char>::at(int, char)");
    assert_string_equal(selection.items.at[2].pattern, "div");
    assert_string_equal(selection.items.at[3].pattern, "lib.so");
    assert_int_equal(selection.items.at[3].range.end, 0x20);
    selection_release(&selection);
}

/* Modules without a file have no functions, but ranges and names of their own. */
static void addresses_are_found(void **state)
{
    (void)state;
    struct selection selection = {0};
    struct profile profile;
    struct mappings mappings;
    struct err err;
    profile_init(&profile);
    mappings_init(&mappings, &profile, getpid());
    uint32_t module = profile_module(&profile, "/no/such/one.so", NULL, 0);
    uint32_t other = profile_module(&profile, "/no/such/other.so", NULL, 0);
    assert_true(
        selection_parse(&selection, "one.so+0x30-0x40,one.so+0x10-0x20,one.so+0x18-0x28", &err));
    const struct {
        uint64_t at;
        bool has;
    } places[] = {{0xf, false},  {0x10, true}, {0x27, true},
                  {0x28, false}, {0x30, true}, {0x40, false}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct place place = {module, {places[i].at}}, elsewhere = {other, {places[i].at}};
        assert_int_equal(selection_has(&selection, &mappings, place), places[i].has);
        assert_false(selection_has(&selection, &mappings, elsewhere));
    }
    struct place in = {module, {0x10}}, out = {other, {0x10}}, none = {MODULE_NONE, {0}};
    assert_true(selection_takes_edge(&selection, &mappings, out, in, EDGE_CALL));
    assert_true(selection_takes_edge(&selection, &mappings, none, in, EDGE_RETURN));
    assert_false(selection_takes_edge(&selection, &mappings, out, out, EDGE_JUMP));
    selection_release(&selection);
    mappings_release(&mappings);
    profile_release(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_means_nothing_is_refused),
        cmocka_unit_test(places_and_sorts_are_told_apart),
        cmocka_unit_test(addresses_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
