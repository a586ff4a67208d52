#include "core/model.h"
#include "core/native.h"

#include <stddef.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void shipped_ones_can_be_read(void **state)
{
    (void)state;
    for (size_t i = 0; model_names[i]; i++) {
        struct model model;
        struct err err;
        assert_true(model_open(model_names[i], &model, &err));
        assert_string_equal(model.name, model_names[i]);
        assert_true(model.n_ports && model.rules.n && model.dispatch_width);
        model_release(&model);
    }
}

static void bad_lines_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"core x\nrob 3\n", "x:2: 3: not a number from 4 to 1024"},
        {"rob 5 6\n", "x:1: rob wants one number"},
        {"robe 5\n", "x:1: robe: what is that?"},
        {"ports a\nop y ports=b\n", "x:2: b: no such port"},
        {"op y lat=3\n", "x:1: y has no ports, or no time"},
        {"ports a\nop y ports=a lat=300\n", "x:2: 300: not a number from 0 to 255"},
        {"ports a\nop y ports=a\ninsn add = z\n", "x:3: z: no such op"},
        {"ports a\nop y ports=a\ninsn add wide = y\n", "x:3: wide: what is that?"},
        /* Seven choices of four are 16384 rules. */
        {"ports a\nop y ports=a\ninsn add w8,w16,w32,w64 w8,w16,w32,w64 w8,w16,w32,w64 "
         "w8,w16,w32,w64 "
         "w8,w16,w32,w64 w8,w16,w32,w64 w8,w16,w32,w64 = y\n",
         "x:3: more than 4096 rules"},
        {"insn add\n", "x:1: insn NAME,... WORD... = OP..."},
        {"core x\n", "x: no fetch_bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct model model;
        struct err err;
        assert_false(model_read(cases[i].text, strlen(cases[i].text), "x", &model, &err));
        assert_string_equal(err.text, cases[i].says);
    }
}

static void no_text_is_no_core(void **state)
{
    (void)state;
    struct model model;
    struct err err;
    assert_false(model_read("core\0x", 6, "x", &model, &err));
    assert_string_equal(err.text, "x: not text");
    assert_false(model_open("zen0", &model, &err));
    assert_false(model_open("/nonexistent/x.core", &model, &err));
}

/* What lies in one window is told by masking its address. */
static void windows_are_powers_of_two(void **state)
{
    (void)state;
    static const char *const names[] = {"store_window ", "line_bytes "};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t bytes;
        const char *text = model_text("zen4", &bytes);
        char *copy = mem_alloc(bytes + 1), says[64];
        memcpy(copy, text, bytes);
        char *number = strstr(copy, names[i]);
        assert_non_null(number);
        memcpy(number + strlen(names[i]), "48", 2);
        struct model model;
        struct err err;
        assert_false(model_read(copy, bytes, "x", &model, &err));
        snprintf(says, sizeof says, "x: %sis not a power of two", names[i]);
        assert_string_equal(err.text, says);
        mem_free(copy);
    }
}

/* Nobody writes to it: what is no file is refused, not waited for. */
static void a_pipe_is_no_core(void **state)
{
    (void)state;
    char folder[] = "/tmp/coreXXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/pipe.core", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    struct model model;
    struct err err;
    assert_false(model_open(path, &model, &err));
    assert_non_null(strstr(err.text, "not a file"));
    unlink(path);
    rmdir(folder);
}

static void this_machine_has_a_core(void **state)
{
    (void)state;
    static const struct {
        const char *vendor;
        unsigned family, model;
        const char *core;
    } cases[] = {
        {"AuthenticAMD", 25, 1, "zen3"},    {"AuthenticAMD", 25, 33, "zen3"},
        {"AuthenticAMD", 25, 17, "zen4"},   {"AuthenticAMD", 25, 97, "zen4"},
        {"AuthenticAMD", 26, 2, "zen4"},    {"AuthenticAMD", 23, 49, "zen3"},
        {"GenuineIntel", 6, 85, "skylake"},
    };
    const char *how;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(native_core_of(cases[i].vendor, cases[i].family, cases[i].model, &how),
                            cases[i].core);
    struct model model;
    struct err err;
    char why[128];
    assert_true(model_open("native", &model, &err));
    assert_string_equal(model.name, native_core(why, sizeof why));
    assert_non_null(strstr(why, model.name));
    model_release(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_ones_can_be_read), cmocka_unit_test(bad_lines_are_named),
        cmocka_unit_test(no_text_is_no_core),       cmocka_unit_test(windows_are_powers_of_two),
        cmocka_unit_test(a_pipe_is_no_core),        cmocka_unit_test(this_machine_has_a_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
