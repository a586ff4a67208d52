#include "program/dwarf/lines.h"

#include "base/err.h"
#include "program/binary.h"
#include "program/cfg/cfg_build.h"
#include "program/elf/debug_file.h"
#include "program/elf/image.h"
#include "program/symbols/symbols.h"

#include "oracle.h"

#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

struct question {
    uint64_t at;
    const char *file; /* NULL: not known */
    uint32_t line;
};
struct questions {
    VEC(struct question);
};

static void ask(struct questions *questions, const struct image *image,
                const struct symbols *symbols, const struct lines *lines, size_t every)
{
    size_t n = 0;
    for (function_id f = 0; f < symbols->functions.n; f++) {
        if (symbols->functions.at[f].source != FUNCTION_SYMBOL)
            continue;
        struct cfg cfg;
        cfg_build(&cfg, image, symbols, f, NULL, 0);
        for (size_t i = 0; i < cfg.instructions.n; i++)
            if (n++ % every == 0) {
                struct question *question = vec_push(questions);
                question->at = cfg.instructions.at[i].at.v;
                lines_find(lines, cfg.instructions.at[i].at, &question->file, &question->line);
            }
        cfg_release(&cfg);
    }
}

static bool same_file(const char *a, const char *b)
{
    const char *x = strrchr(a, '/'), *y = strrchr(b, '/');
    return strcmp(x ? x : a, y ? y : b) == 0;
}

/* addr2line gives "file:line", with ":?" or ":0" for what it does not know. */
static size_t compare(const struct questions *questions, const char *path, const char *folder,
                      bool files)
{
    char list[256];
    snprintf(list, sizeof list, "%s/list", folder);
    FILE *file = fopen(list, "w");
    for (size_t i = 0; i < questions->n; i++)
        fprintf(file, "0x%lx\n", questions->at[i].at);
    fclose(file);
    FILE *lines = oracle_open("addr2line -e %s < %s", path, list);
    char line[1024];
    size_t known = 0;
    for (size_t i = 0; i < questions->n; i++) {
        const struct question *question = &questions->at[i];
        const char *name = question->file ? question->file : "?";
        assert_non_null(fgets(line, sizeof line, lines));
        size_t at = strlen(line);
        while (at && line[at] != ':')
            at--;
        unsigned number = (unsigned)strtoul(line + at + 1, NULL, 10);
        line[at] = 0;
        if (!number && !question->line)
            continue;
        known++;
        if (number != question->line || (files && !same_file(line, name)))
            fail_msg("0x%lx: %s:%u, addr2line says %s:%u", question->at, name, question->line, line,
                     number);
    }
    pclose(lines);
    return known;
}

static size_t check(const char *path, const char *oracle_path, size_t every, bool files)
{
    struct binary binary;
    struct err err;
    assert_true(binary_open(&binary, path, &err));
    const struct lines *lines = binary_lines(&binary);
    for (size_t i = 0; i + 1 < lines->stretches.n; i++)
        assert_true(lines->stretches.at[i].start < lines->stretches.at[i].end &&
                    lines->stretches.at[i].end <= lines->stretches.at[i + 1].start);
    struct questions questions = {0};
    ask(&questions, &binary.image, &binary.symbols, lines, every);
    char folder[] = "/tmp/gait-lines-XXXXXX";
    assert_non_null(mkdtemp(folder));
    size_t known = compare(&questions, oracle_path, folder, files);
    oracle_folder_remove(folder);
    vec_release(&questions);
    if (!binary_debug_whole(&binary, &err))
        fail_msg("%s", err.text);
    binary_close(&binary);
    return known;
}

static void lines_are_those_of_addr2line(void **state)
{
    (void)state;
    char self[64];
    snprintf(self, sizeof self, "/proc/%d/exe", getpid());
    assert_true(check("/proc/self/exe", self, 1, true) > 5000);
}

static void separate_debug_files_are_read(void **state)
{
    (void)state;
    struct image image;
    struct err err;
    assert_true(image_open(&image, LIBC, &err));
    debug_file_find(&image);
    bool has_debug = image.debug.elf != NULL;
    image_close(&image);
    if (!has_debug) {
        printf("libc's debug file is not installed\n");
        skip();
    }
    /* Of lines in included files addr2line 2.40 names the including one: compare numbers. */
    assert_true(check(LIBC, LIBC, 40, false) > 5000);
}

static void no_lines_is_no_error(void **state)
{
    (void)state;
    struct binary binary;
    struct err err;
    assert_true(binary_open(&binary, "[vdso]", &err));
    const struct lines *lines = binary_lines(&binary);
    const char *file;
    uint32_t line;
    assert_false(lines_find(lines, (struct svma){0}, &file, &line));
    assert_false(lines_find(lines, (struct svma){UINT64_MAX}, &file, &line));
    binary_close(&binary);
}

int main(void)
{
    oracle_need("addr2line");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_those_of_addr2line),
        cmocka_unit_test(separate_debug_files_are_read),
        cmocka_unit_test(no_lines_is_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
