#include "model/core/model.h"
#include "model/core/cpu.h"

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
        enum cpu_nearness nearness;
    } cases[] = {
        {"AuthenticAMD", 25, 1, "zen3", CPU_SAME},
        {"AuthenticAMD", 25, 33, "zen3", CPU_SAME},
        {"AuthenticAMD", 25, 17, "zen4", CPU_SAME},
        {"AuthenticAMD", 25, 97, "zen4", CPU_SAME},
        {"AuthenticAMD", 25, 160, "zen4", CPU_SAME},
        {"AuthenticAMD", 26, 2, "zen4", CPU_NEAREST},
        {"AuthenticAMD", 23, 49, "zen3", CPU_NEAREST},
        {"GenuineIntel", 6, 207, "golden-cove", CPU_SAME},
        {"GenuineIntel", 6, 143, "golden-cove", CPU_SAME},
        {"GenuineIntel", 6, 151, "golden-cove", CPU_SAME},
        {"GenuineIntel", 6, 173, "golden-cove", CPU_NEAREST},
        {"GenuineIntel", 6, 85, "skylake", CPU_SAME},
        {"GenuineIntel", 6, 158, "skylake", CPU_SAME},
        {"GenuineIntel", 6, 106, "skylake", CPU_NEAREST},
        {"GenuineIntel", 6, 60, "skylake", CPU_NEAREST},
        {"CentaurHauls", 7, 59, "zen3", CPU_UNLIKE},
        {"", 0, 0, "zen3", CPU_UNLIKE},
    };
    enum cpu_nearness nearness;
    struct err err;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cpu cpu = {.family = cases[i].family, .model = cases[i].model};
        struct model model;
        strcpy(cpu.vendor, cases[i].vendor);
        assert_string_equal(cpu_core(&cpu, &nearness), cases[i].core);
        assert_int_equal(nearness, cases[i].nearness);
        char why[160];
        cpu_why(&cpu, why, sizeof why);
        assert_non_null(strstr(why, cases[i].core));
        assert_int_equal(strstr(why, "approximation") != NULL, nearness != CPU_SAME);
        assert_true(model_open(cases[i].core, &model, &err));
        model_release(&model);
    }
    struct cpu here;
    struct model model;
    cpu_here(&here);
    assert_true(model_open("native", &model, &err));
    assert_string_equal(model.name, cpu_core(&here, &nearness));
    model_release(&model);
}

static void a_processor_is_kept_as_text(void **state)
{
    (void)state;
    struct cpu cpu = {"GenuineIntel", 6, 207, "Intel(R) Xeon(R) Processor"}, back;
    char text[128];
    cpu_text(&cpu, text, sizeof text);
    assert_string_equal(text, "GenuineIntel 6 207 Intel(R) Xeon(R) Processor");
    assert_true(cpu_parse(text, &back));
    assert_string_equal(back.vendor, cpu.vendor);
    assert_string_equal(back.name, cpu.name);
    assert_true(back.family == 6 && back.model == 207);
    assert_true(cpu_parse("AuthenticAMD 25 17", &back) && !*back.name && back.model == 17);
    static const char *const wrong[] = {"",
                                        "GenuineIntel",
                                        "GenuineIntel 6",
                                        "GenuineIntel 6 x",
                                        "AVeryLongVendor 6 207",
                                        "GenuineIntel 6 207x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(cpu_parse(wrong[i], &back));
    cpu_here(&cpu);
    cpu_text(&cpu, text, sizeof text);
    assert_true(cpu_parse(text, &back));
    assert_string_equal(cpu.name, back.name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_ones_can_be_read),    cmocka_unit_test(bad_lines_are_named),
        cmocka_unit_test(no_text_is_no_core),          cmocka_unit_test(windows_are_powers_of_two),
        cmocka_unit_test(a_pipe_is_no_core),           cmocka_unit_test(this_machine_has_a_core),
        cmocka_unit_test(a_processor_is_kept_as_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
