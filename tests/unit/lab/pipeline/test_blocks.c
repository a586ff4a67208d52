#include "lab/pipeline/blocks.h"

#include <stddef.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/err.h"
#include "model/core/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void file_write(char *path, const char *text)
{
    strcpy(path, "/tmp/test_blocks_XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void what_is_no_block_is_named(void **state)
{
    (void)state;
    static const char *const bad[] = {"4801d8\n",    "4801d,1.0\n",   "4801dg,1.0\n",
                                      "4801d8,\n",   "4801d8,0\n",    ",1.0\n",
                                      "4801d8,-1\n", "4801d8,1.0x\n", "4801d8,nan\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char path[64], text[128];
        struct blocks blocks;
        struct err err;
        snprintf(text, sizeof text, "4801d8,1.0\n%s", bad[i]);
        file_write(path, text);
        assert_false(blocks_read(path, &blocks, &err));
        assert_non_null(strstr(err.text, ":2: not HEX,CYCLES"));
        unlink(path);
    }
}

static void foretell(const char *text, struct blocks *blocks)
{
    char path[64];
    struct err err;
    struct model model;
    file_write(path, text);
    assert_true(blocks_read(path, blocks, &err));
    unlink(path);
    assert_true(model_open("zen3", &model, &err));
    blocks_foretell(blocks, &model);
    model_release(&model);
}

static void groups_and_lines_are_told_apart(void **state)
{
    (void)state;
    struct blocks blocks;
    struct block_errors errors;
    /* add rax, rbx; mov rax, [rax]; mov [rbx], rax; no instruction: twice as long as they take, or
     * as long */
    foretell("hex,cycles\n# as measured\n4801d8,2.0\n488b00,4.0\n488903,0.5\n06,1\n", &blocks);
    assert_int_equal(blocks.n, 4);
    assert_int_equal(blocks.unread, 1);
    assert_int_equal(blocks.clock_step, 1);
    blocks_errors(&blocks, BLOCKS_NO_MEMORY, BLOCKS_BOTH, &errors);
    assert_int_equal(errors.n, 1);
    assert_true(fabs(errors.cycles - 0.5) < 0.01);
    blocks_errors(&blocks, BLOCKS_LOADS, BLOCKS_BOTH, &errors);
    assert_int_equal(errors.n, 1);
    assert_true(errors.cycles < 0.01);
    blocks_errors(&blocks, BLOCKS_STORES, BLOCKS_ODD, &errors);
    assert_int_equal(errors.n, 1);
    blocks_errors(&blocks, BLOCKS_ALL, BLOCKS_EVEN, &errors);
    assert_int_equal(errors.n, 1);
    blocks_errors(&blocks, BLOCKS_STORES, BLOCKS_EVEN, &errors);
    assert_int_equal(errors.n, 0);
    assert_true(isnan(errors.reading));
    blocks_release(&blocks);
}

/* 0.25 and 0.5 cycles of 150 copies are 37 and 75; a clock with steps of 50 shows 50 and 100. */
/* Copies of nop go six a cycle; as the body of a loop, one turn a cycle is what branches allow. */
static void what_goes_back_to_its_start_is_a_loop(void **state)
{
    (void)state;
    struct blocks blocks;
    foretell("4d01c04d01c94d01d24d01db4801c04801db,1.5\n"
             "9049ffcf75fa,1\n"
             "90,0.16\n",
             &blocks);
    assert_true(fabs(blocks.at[0].cycles - 1.5) < 0.02);
    assert_true(fabs(blocks.at[1].cycles - 1) < 0.02);
    assert_true(blocks.at[2].cycles < 0.2);
    blocks_release(&blocks);
}

static void clocks_with_steps_are_found(void **state)
{
    (void)state;
    struct blocks blocks;
    struct block_errors errors;
    char text[4096] = "";
    for (int i = 0; i < 20; i++)
        strcat(text, i % 2 ? "39d8,0.3333\n" : "4889d84889d94889da,0.6667\n");
    foretell(text, &blocks);
    assert_int_equal(blocks.clock_step, 50);
    blocks_errors(&blocks, BLOCKS_ALL, BLOCKS_BOTH, &errors);
    assert_true(errors.reading < 0.01);
    assert_true(errors.cycles > 0.24 && errors.cycles < 0.26);
    blocks_release(&blocks);
    text[0] = 0;
    for (int i = 0; i < 40; i++)
        sprintf(text + strlen(text), "39d8,%.4f\n", 0.25 + i * 0.00731);
    foretell(text, &blocks);
    assert_int_equal(blocks.clock_step, 1);
    blocks_release(&blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_block_is_named),
        cmocka_unit_test(groups_and_lines_are_told_apart),
        cmocka_unit_test(what_goes_back_to_its_start_is_a_loop),
        cmocka_unit_test(clocks_with_steps_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
