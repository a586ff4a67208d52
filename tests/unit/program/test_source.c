#include "program/source.h"

#include "base/err.h"
#include "program/binary.h"

#include "oracle.h"

#include <fcntl.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { ROOM = 64 };

static const char program[] =
    "static inline __attribute__((always_inline)) int twice(int x)\n"
    "{\n"
    "    return x > 3 ? x * 2 - 1 : x * 2;\n" /* 3 */
    "}\n"
    "static inline __attribute__((always_inline)) int both(int a, int b)\n"
    "{\n"
    "    return twice(a)\n" /* 7 */
    "         + twice(b);\n"
    "}\n"
    "__attribute__((noinline)) int walk(volatile int *a)\n"
    "{\n"
    "    return both(a[0], a[1]);\n" /* 12 */
    "}\n"
    "int main(void) { int a[2] = {1, 2}; return walk(a); }\n";

static char *folder;

static const char *compile(const char *flags)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/source.c", folder);
    FILE *file = fopen(path, "w");
    fputs(program, file);
    fclose(file);
    snprintf(path, sizeof path, "%s/program", folder);
    oracle_run("cd %s && gcc -O2 %s -o program source.c", folder, flags);
    return path;
}

static function_id function_named(const struct binary *binary, const char *name)
{
    for (function_id f = 0; f < binary->symbols.functions.n; f++)
        if (!strcmp(binary->symbols.functions.at[f].name, name))
            return f;
    fail_msg("no function %s", name);
    return FUNCTION_NONE;
}

/* Whether walk has a stack of twice in both in walk, with the lines of the calls. */
static bool walk_is_inlined(struct binary *binary)
{
    const struct function *walk = &binary->symbols.functions.at[function_named(binary, "walk")];
    struct source_frame frames[ROOM];
    for (uint64_t at = walk->start.v; at < walk->start.v + 40; at++) {
        size_t n = source_frames(binary, (struct svma){at}, frames, ROOM);
        assert_true(n >= 1);
        if (n != 3)
            continue;
        assert_string_equal(frames[0].linkage, "twice");
        assert_int_equal(frames[0].line, 3);
        assert_string_equal(frames[1].linkage, "both");
        assert_true(frames[1].line == 7 || frames[1].line == 8);
        assert_string_equal(frames[2].linkage, "walk");
        assert_int_equal(frames[2].line, 12);
        assert_ptr_equal(frames[0].file, frames[2].file);
        return true;
    }
    return false;
}

static void inlined_functions_have_their_call_sites(void **state)
{
    (void)state;
    static const char *const flags[] = {"-g -gdwarf-4", "-g -gdwarf-5", "-g1", "-g -gz",
                                        "-g -static -gsplit-dwarf"};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        struct binary binary;
        struct err err;
        assert_true(binary_open(&binary, compile(flags[i]), &err));
        if (!walk_is_inlined(&binary))
            fail_msg("%s: nothing is inlined", flags[i]);
        if (!binary_debug_whole(&binary, &err))
            fail_msg("%s: %s", flags[i], err.text);
        binary_close(&binary);
    }
}

static void without_debug_information_there_is_a_name(void **state)
{
    (void)state;
    struct binary binary;
    struct err err;
    struct source_frame frames[ROOM];
    assert_true(binary_open(&binary, compile("-g0"), &err));
    struct svma at = binary.symbols.functions.at[function_named(&binary, "walk")].start;
    assert_int_equal(source_frames(&binary, at, frames, ROOM), 1);
    assert_string_equal(frames[0].linkage, "walk");
    assert_null(frames[0].file);
    assert_int_equal(source_frames(&binary, (struct svma){1}, frames, ROOM), 0);
    assert_non_null(strstr(binary_debug_missing(&binary), "no lines"));
    binary_close(&binary);
}

static void missing_parts_are_named(void **state)
{
    (void)state;
    struct binary binary;
    struct err err;
    struct source_frame frames[ROOM];
    const char *path = compile("-g -gsplit-dwarf");
    oracle_run("rm %s/*.dwo", folder);
    assert_true(binary_open(&binary, path, &err));
    struct svma at = binary.symbols.functions.at[function_named(&binary, "walk")].start;
    /* Lines stay with the program. */
    assert_int_equal(source_frames(&binary, at, frames, ROOM), 1);
    assert_non_null(frames[0].file);
    assert_non_null(strstr(binary_debug_missing(&binary), ".dwo"));
    binary_close(&binary);
}

/* ---- damage */

static void section_overwrite(const char *path, const char *section, size_t skip, uint8_t byte,
                              size_t n)
{
    char line[256];
    unsigned long offset = 0, bytes = 0;
    FILE *sections = oracle_open("readelf -SW %s | sed 's/^ *\\[ *[0-9]*\\]//'", path);
    while (fgets(line, sizeof line, sections)) {
        char name[64];
        unsigned long address, at, size;
        if (sscanf(line, " %63s %*s %lx %lx %lx", name, &address, &at, &size) == 4 &&
            !strcmp(name, section))
            offset = at, bytes = size;
    }
    pclose(sections);
    assert_true(bytes > skip + n);
    int fd = open(path, O_WRONLY);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(pwrite(fd, &byte, 1, (off_t)(offset + skip + i)), 1);
    close(fd);
}

/* A broken section is named, with where and why; symbols and the other sections are there. */
static void damage_is_named_and_the_rest_is_there(void **state)
{
    (void)state;
    static const struct {
        const char *section;
        size_t skip;
        bool lines;
    } cases[] = {{".debug_info", 0, false},
                 {".debug_info", 80, true},
                 {".debug_abbrev", 0, false},
                 {".debug_line", 0, false},
                 {".debug_line", 30, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = compile("-g");
        section_overwrite(path, cases[i].section, cases[i].skip, 0xFE, cases[i].lines ? 64 : 16);
        struct binary binary;
        struct err err;
        struct source_frame frames[ROOM];
        assert_true(binary_open(&binary, path, &err));
        struct svma at = binary.symbols.functions.at[function_named(&binary, "walk")].start;
        size_t n = source_frames(&binary, at, frames, ROOM);
        assert_true(n >= 1);
        assert_string_equal(frames[n - 1].linkage, "walk");
        if (cases[i].lines)
            assert_non_null(frames[0].file);
        if (binary_debug_whole(&binary, &err))
            fail_msg("%s+%zu: not noticed", cases[i].section, cases[i].skip);
        assert_int_equal(err.kind, ERR_FORMAT);
        if (!strstr(err.text, path) || !strstr(err.text, cases[i].section) ||
            !strstr(err.text, "+0x"))
            fail_msg("%s+%zu: %s", cases[i].section, cases[i].skip, err.text);
        binary_close(&binary);
    }
}

/* ---- against addr2line */

/* Its answer for one address: names and "file:line" in turn, up to the next address. */
static size_t oracle_frames(FILE *oracle, char *next, char frames[ROOM][2][512])
{
    size_t n = 0;
    while (fgets(next, 512, oracle) && strncmp(next, "0x", 2) != 0 && n < ROOM) {
        snprintf(frames[n][0], 512, "%s", next);
        assert_non_null(fgets(frames[n][1], 512, oracle));
        frames[n][0][strcspn(frames[n][0], "\n")] = 0;
        n++;
    }
    return n;
}

static uint32_t line_of(const char *text)
{
    const char *colon = strrchr(text, ':');
    return colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
}

static void stacks_are_those_of_addr2line(void **state)
{
    (void)state;
    struct binary binary;
    struct err err;
    char self[64], list[256], next[512];
    static char theirs[ROOM][2][512];
    snprintf(self, sizeof self, "/proc/%d/exe", getpid());
    snprintf(list, sizeof list, "%s/list", folder);
    assert_true(binary_open(&binary, self, &err));
    FILE *file = fopen(list, "w");
    size_t asked = 0, inlined = 0;
    for (size_t i = 0; i < binary.symbols.ranges.n; i++) {
        const struct code_range *range = &binary.symbols.ranges.at[i];
        if (binary.symbols.functions.at[range->function].source == FUNCTION_SYMBOL)
            for (uint64_t at = 0; at < range->bytes; at += 41, asked++)
                fprintf(file, "0x%lx\n", range->start.v + at);
    }
    fclose(file);
    FILE *oracle = oracle_open("addr2line -a -f -i -e %s < %s", self, list);
    assert_non_null(fgets(next, sizeof next, oracle));
    for (size_t i = 0; i < asked; i++) {
        struct source_frame ours[ROOM];
        struct svma at = {strtoull(next, NULL, 16)};
        size_t n = source_frames(&binary, at, ours, ROOM);
        size_t m = oracle_frames(oracle, next, theirs);
        if (!n || !ours[0].file)
            continue; /* it looks for the nearest function */
        if (n != m)
            fail_msg("0x%lx: %zu frames, addr2line says %zu", at.v, n, m);
        inlined += n > 1;
        for (size_t k = 0; k < n; k++)
            if (ours[k].line != line_of(theirs[k][1]) ||
                (k + 1 < n && strcmp(ours[k].linkage, theirs[k][0]) != 0))
                fail_msg("0x%lx, frame %zu: %s line %u, addr2line says %s %s", at.v, k,
                         ours[k].linkage, ours[k].line, theirs[k][0], theirs[k][1]);
    }
    pclose(oracle);
    binary_close(&binary);
    if (inlined < 500)
        fail_msg("only %zu stacks", inlined);
}

int main(void)
{
    oracle_need("addr2line");
    oracle_need("gcc");
    folder = oracle_folder();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inlined_functions_have_their_call_sites),
        cmocka_unit_test(without_debug_information_there_is_a_name),
        cmocka_unit_test(missing_parts_are_named),
        cmocka_unit_test(damage_is_named_and_the_rest_is_there),
        cmocka_unit_test(stacks_are_those_of_addr2line),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    oracle_folder_remove(folder);
    return failed;
}
