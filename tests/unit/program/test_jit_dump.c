#include "program/names/jit_dump.h"

#include "base/err.h"

#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void put_u32(struct bytes *to, uint32_t value)
{
    bytes_add(to, &value, sizeof value);
}

static void put_u64(struct bytes *to, uint64_t value)
{
    bytes_add(to, &value, sizeof value);
}

static void put_head(struct bytes *to, uint32_t machine)
{
    for (int i = 0; i < 4; i++)
        put_u32(to, (uint32_t[]){0x4a695444, 1, 40, machine}[i]);
    put_u32(to, 0);
    put_u32(to, 7);
    put_u64(to, 1);
    put_u64(to, 0);
}

static size_t record_begin(struct bytes *to, uint32_t id)
{
    put_u32(to, id);
    put_u32(to, 0);
    put_u64(to, 5);
    return to->n - 16;
}

static void record_end(struct bytes *to, size_t at)
{
    uint32_t n = (uint32_t)(to->n - at);
    memcpy(to->at + at + 4, &n, sizeof n);
}

static void put_code(struct bytes *to, uint64_t start, const char *name, const char *code)
{
    size_t at = record_begin(to, 0);
    put_u32(to, 7);
    put_u32(to, 7);
    put_u64(to, start);
    put_u64(to, start);
    put_u64(to, strlen(code));
    put_u64(to, 0);
    bytes_add(to, name, strlen(name) + 1);
    bytes_add(to, code, strlen(code));
    record_end(to, at);
}

struct line {
    uint64_t at;
    uint32_t line;
    const char *file;
    size_t n; /* bytes of it, with the zero */
};

static void put_lines(struct bytes *to, uint64_t start, const struct line *lines, size_t n)
{
    size_t at = record_begin(to, 2);
    put_u64(to, start);
    put_u64(to, n);
    for (size_t i = 0; i < n; i++) {
        put_u64(to, lines[i].at);
        put_u32(to, lines[i].line);
        put_u32(to, 0);
        bytes_add(to, lines[i].file, lines[i].n);
    }
    record_end(to, at);
}

static void put_move(struct bytes *to, uint64_t from, uint64_t there)
{
    size_t at = record_begin(to, 1);
    put_u32(to, 7);
    put_u32(to, 7);
    put_u64(to, there);
    put_u64(to, from);
    put_u64(to, there);
    put_u64(to, 4);
    put_u64(to, 0);
    record_end(to, at);
}

static void put_some(struct bytes *to)
{
    put_head(to, 62);
    put_code(to, 0x1000, "first", "abcd");
    put_lines(to, 0x2000, (struct line[]){{0x2000, 3, "a.x", 4}, {0x2002, 4, "\xff", 2}}, 2);
    put_code(to, 0x2000, "second", "efgh");
    put_move(to, 0x1000, 0x3000);
    record_end(to, record_begin(to, 4)); /* unwinding */
}

static void codes_have_names_bytes_and_lines(void **state)
{
    (void)state;
    struct bytes text = {0};
    struct jit_dump dump;
    struct err err;
    put_some(&text);
    assert_true(jit_dump_parse(&dump, "p", text, &err));
    assert_null(dump.bad);
    assert_int_equal(dump.n, 3);
    assert_string_equal(dump.at[0].name, "first");
    assert_memory_equal(dump.at[0].code, "abcd", 4);
    assert_int_equal(dump.at[0].n_lines, 0);
    assert_int_equal(dump.at[1].n_lines, 2);
    const struct jit_line *lines = &dump.lines.at[dump.at[1].first_line];
    assert_int_equal(lines[0].at, 0x2000);
    assert_int_equal(lines[1].at, 0x2002);
    assert_int_equal(lines[1].line, 4);
    assert_string_equal(lines[1].file, "a.x");
    assert_int_equal(dump.at[2].start, 0x3000);
    assert_string_equal(dump.at[2].name, "first");
    jit_dump_release(&dump);
}

/* As V8 writes them: 0x40 too far, and the file overwritten when it was freed. */
static void lines_of_v8_are_put_right(void **state)
{
    (void)state;
    struct bytes text = {0};
    struct jit_dump dump;
    struct err err;
    put_head(&text, 62);
    put_lines(&text, 0x2000,
              (struct line[]){{0x2040, 3, "\1\0/a.js", 8}, {0x2042, 4, "\1\0/a.js", 8}}, 2);
    put_code(&text, 0x2000, "JS:*f /b/a.js:3:1", "efgh");
    put_lines(&text, 0x3000, (struct line[]){{0x3040, 3, "\1\0/a.js", 8}}, 1);
    put_code(&text, 0x3000, "without a file", "efgh");
    assert_true(jit_dump_parse(&dump, "p", text, &err));
    assert_int_equal(dump.at[0].n_lines, 2);
    const struct jit_line *lines = &dump.lines.at[dump.at[0].first_line];
    assert_int_equal(lines[0].at, 0x2000);
    assert_int_equal(lines[1].at, 0x2002);
    assert_string_equal(lines[1].file, "/b/a.js");
    assert_int_equal(dump.at[1].n_lines, 0);
    jit_dump_release(&dump);
}

/* Cut anywhere it has the codes that are whole, and says so. */
static void a_cut_dump_has_what_is_whole(void **state)
{
    (void)state;
    struct bytes whole = {0};
    put_some(&whole);
    for (size_t n = 0; n < whole.n; n++) {
        struct bytes text = {0};
        struct jit_dump dump;
        struct err err;
        bytes_add(&text, whole.at, n);
        bool good = jit_dump_parse(&dump, "p", text, &err);
        assert_int_equal(good, n >= 40);
        if (!good) {
            assert_non_null(strstr(err.text, "not a dump"));
            continue;
        }
        assert_true(dump.n <= 3);
        for (size_t i = 0; i < dump.n; i++)
            assert_true(*dump.at[i].name && dump.at[i].bytes == 4);
        jit_dump_release(&dump);
    }
    vec_release(&whole);
}

static void others_are_refused(void **state)
{
    (void)state;
    struct bytes text = {0};
    struct jit_dump dump;
    struct err err;
    put_head(&text, 183);
    assert_false(jit_dump_parse(&dump, "p", text, &err));
    assert_non_null(strstr(err.text, "another machine"));
    assert_false(jit_dump_read(&dump, "/nowhere", &err));
    assert_false(jit_dump_read(&dump, "/", &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_have_names_bytes_and_lines),
        cmocka_unit_test(lines_of_v8_are_put_right),
        cmocka_unit_test(a_cut_dump_has_what_is_whole),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
