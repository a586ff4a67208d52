#include "program/names/perf_map.h"

#include "base/err.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const char *name_at(const struct perf_map *map, uint64_t at, uint64_t start, uint64_t bytes)
{
    struct avma found_start = {0};
    uint64_t found_bytes = 0;
    const char *name = perf_map_find(map, (struct avma){at}, &found_start, &found_bytes);
    assert_int_equal(found_start.v, start);
    assert_int_equal(found_bytes, bytes);
    return name;
}

static void later_entries_win(void **state)
{
    (void)state;
    static const char text[] = "1000 100 old function (a.js:1)\n"
                               "0x1040 10 inner\n"
                               "2000 20 replaced\n"
                               "1ff0 40\tnew one\r\n"
                               "3000 0 empty\n";
    struct perf_map map;
    perf_map_parse(&map, "p", text, sizeof text - 1);
    assert_int_equal(map.n_bad, 0);
    assert_string_equal(name_at(&map, 0x1000, 0x1000, 0x40), "old function (a.js:1)");
    assert_string_equal(name_at(&map, 0x1040, 0x1040, 0x10), "inner");
    assert_string_equal(name_at(&map, 0x1050, 0x1050, 0xB0), "old function (a.js:1)");
    assert_string_equal(name_at(&map, 0x2010, 0x1FF0, 0x40), "new one");
    assert_null(name_at(&map, 0xFFF, 0, 0));
    assert_null(name_at(&map, 0x1100, 0, 0));
    assert_null(name_at(&map, 0x3000, 0, 0));
    perf_map_release(&map);
}

/* The same again, or one inside another, took nobody's place. */
static void places_that_had_another_name_are_told(void **state)
{
    (void)state;
    static const char text[] = "1000 100 first\n2000 100 same\n3000 100 outer\n"
                               "1000 80 second\n2000 100 same\n3040 10 inner\n";
    struct perf_map map;
    perf_map_parse(&map, "p", text, sizeof text - 1);
    assert_true(perf_map_reused(&map, (struct avma){0x1000}));
    assert_false(perf_map_reused(&map, (struct avma){0x1080}));
    assert_false(perf_map_reused(&map, (struct avma){0x2000}));
    assert_false(perf_map_reused(&map, (struct avma){0x3000}));
    assert_false(perf_map_reused(&map, (struct avma){0x3040}));
    assert_false(perf_map_reused(&map, (struct avma){0x9000}));
    perf_map_release(&map);
}

static void broken_lines_are_named_and_cost_themselves_alone(void **state)
{
    (void)state;
    static const struct {
        const char *line, *said;
    } cases[] = {
        {"hello 10 x\n", "p: line 2: the address is not a hexadecimal number"},
        {"10q0 10 x\n", "p: line 2: the address is not a hexadecimal number"},
        {"12345678123456789 10 x\n", "p: line 2: the address has more than 64 bits"},
        {"5000 - x\n", "p: line 2: the size is not a hexadecimal number"},
        {"5000\n", "p: line 2: the size is not a hexadecimal number"},
        {"5000 ffffffffffffffff x\n", "p: line 2: the size reaches beyond the end of memory"},
        {"5000 10 \n", "p: line 2: the name is missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text, "1000 10 a\n%s3000 10 b\n4000 10 cut", cases[i].line);
        struct perf_map map;
        perf_map_parse(&map, "p", text, strlen(text));
        assert_int_equal(map.n_bad, 2);
        assert_string_equal(map.first_bad, cases[i].said);
        assert_string_equal(name_at(&map, 0x1000, 0x1000, 0x10), "a");
        assert_string_equal(name_at(&map, 0x3000, 0x3000, 0x10), "b");
        assert_null(name_at(&map, 0x4000, 0, 0));
        perf_map_release(&map);
    }
}

static void the_map_of_a_process_is_found(void **state)
{
    (void)state;
    char wanted[64], path[128];
    snprintf(wanted, sizeof wanted, "/tmp/perf-%d.map", getpid());
    assert_false(perf_map_path(getpid(), path, sizeof path));
    FILE *file = fopen(wanted, "w");
    assert_non_null(file);
    fputs("7f0000001000 10 jitted\n", file);
    fclose(file);
    bool found = perf_map_path(getpid(), path, sizeof path);
    struct perf_map map;
    struct err err;
    bool read = found && perf_map_read(&map, path, &err);
    unlink(wanted);
    assert_true(read);
    assert_string_equal(name_at(&map, 0x7F000000100F, 0x7F0000001000, 0x10), "jitted");
    perf_map_release(&map);
    assert_false(perf_map_read(&map, wanted, &err));
    assert_int_equal(err.kind, ERR_SYSTEM);
}

static void a_file_of_holes_costs_no_memory(void **state)
{
    (void)state;
    char path[64];
    struct perf_map map;
    struct err err;
    snprintf(path, sizeof path, "/tmp/test-perf-map-%d", getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    int cut = ftruncate(fileno(file), (off_t)1 << 40);
    fclose(file);
    bool read = cut == 0 && perf_map_read(&map, path, &err);
    unlink(path);
    assert_int_equal(cut, 0);
    assert_false(read);
    assert_int_equal(err.kind, ERR_FORMAT);
    assert_non_null(strstr(err.text, path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_entries_win),
        cmocka_unit_test(places_that_had_another_name_are_told),
        cmocka_unit_test(broken_lines_are_named_and_cost_themselves_alone),
        cmocka_unit_test(the_map_of_a_process_is_found),
        cmocka_unit_test(a_file_of_holes_costs_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
