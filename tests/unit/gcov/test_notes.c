#include "gcov/notes.h"

#include "base/err.h"
#include "bytes.h"
#include "gcov/spread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void a_function_is_read_as_written(void **state)
{
    (void)state;
    struct file file = {0};
    struct notes notes;
    struct err err;
    put_loop(&file);
    assert_true(notes_parse(&notes, file.at, file.n, &err));
    assert_int_equal(notes.head.major, 12);
    assert_string_equal(gcov_version_name(notes.head.version).text, "12.2");
    assert_int_equal(notes.head.stamp, 77);
    assert_string_equal(notes.folder, "/there");
    assert_int_equal(notes.functions.n, 1);
    const struct notes_function *loop = &notes.functions.at[0];
    assert_string_equal(loop->name, "loop");
    assert_string_equal(loop->source, "loop.c");
    assert_int_equal(loop->ident, 11);
    assert_int_equal(loop->lineno_checksum, 22);
    assert_int_equal(loop->cfg_checksum, 33);
    assert_int_equal(loop->line, 5);
    assert_int_equal(loop->end_line, 9);
    assert_int_equal(loop->n_blocks, 5);
    assert_int_equal(loop->arcs.n, 5);
    assert_int_equal(loop->n_counters, 2);
    assert_int_equal(loop->lines.n, 4);
    assert_int_equal(loop->lines.at[1].line, 7);
    assert_int_equal(loop->lines.at[2].block, 3);
    assert_string_equal(loop->lines.at[2].file, "loop.c"); /* stays from record to record */
    assert_string_equal(loop->lines.at[3].file, "loop.h");
    notes_release(&notes);
    vec_release(&file);
}

static void counters_give_all_arcs(void **state)
{
    (void)state;
    struct file file = {0};
    struct notes notes;
    struct err err;
    put_loop(&file);
    assert_true(notes_parse(&notes, file.at, file.n, &err));
    uint64_t arcs[5], back[2], counters[2] = {3, 40}, expected[5] = {3, 40, 3, 40, 3};
    assert_true(spread_counters(&notes.functions.at[0], counters, arcs));
    assert_memory_equal(arcs, expected, sizeof arcs);
    gather_counters(&notes.functions.at[0], arcs, back);
    assert_memory_equal(back, counters, sizeof back);
    /* All arcs on the tree: nothing can be known. */
    for (size_t i = 0; i < 5; i++)
        notes.functions.at[0].arcs.at[i].flags |= ARC_ON_TREE;
    assert_false(spread_counters(&notes.functions.at[0], counters, arcs));
    notes_release(&notes);
    vec_release(&file);
}

/* Cut anywhere, or with any byte another: read or refused, never believed beyond its end. */
static void damaged_files_are_refused(void **state)
{
    (void)state;
    struct file file = {0};
    put_loop(&file);
    for (size_t n = 0; n < file.n; n++) {
        struct notes notes;
        struct err err;
        uint8_t *cut = malloc(n + 1); /* so that a sanitizer sees reads behind it */
        memcpy(cut, file.at, n);
        if (notes_parse(&notes, cut, n, &err))
            notes_release(&notes);
        else
            assert_int_equal(err.kind, ERR_FORMAT);
        free(cut);
        for (unsigned bit = 0; bit < 8; bit += 3) {
            uint8_t old = file.at[n];
            file.at[n] ^= (uint8_t)(1 << bit);
            if (notes_parse(&notes, file.at, file.n, &err))
                notes_release(&notes);
            file.at[n] = old;
        }
    }
    vec_release(&file);
}

static void other_files_are_told(void **state)
{
    (void)state;
    struct notes notes;
    struct err err;
    struct file file = {0};
    PUT(&file, 0x67636461, 0x4232322A, 0, 0, 0);
    assert_false(notes_parse(&notes, file.at, file.n, &err));
    assert_non_null(strstr(err.text, "no file of gcc's notes"));
    file.n = 0;
    PUT(&file, 0x67636E6F, 0x4138332A, 0, 0, 0);
    assert_false(notes_parse(&notes, file.at, file.n, &err));
    assert_non_null(strstr(err.text, "of gcc 8.3"));
    file.n = 0;
    PUT(&file, 0x6F6E6367, 0, 0, 0, 0);
    assert_false(notes_parse(&notes, file.at, file.n, &err));
    assert_non_null(strstr(err.text, "byte order"));
    assert_false(notes_read(&notes, "/nowhere/x.gcno", &err));
    assert_int_equal(err.kind, ERR_SYSTEM);
    vec_release(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_is_read_as_written),
        cmocka_unit_test(counters_give_all_arcs),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(other_files_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
