#include "carry/blocks.h"

#include "base/err.h"
#include "carry/functions.h"
#include "carry/lines.h"
#include "program/binary.h"
#include "program/fingerprint.h"
#include "program/cfg/cfg_build.h"

#include <stddef.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static size_t stem(const char *name)
{
    return name_stem_bytes(name);
}

static void names_lose_what_compilers_put_behind_them(void **state)
{
    (void)state;
    assert_int_equal(stem("work"), 4);
    assert_int_equal(stem("work.constprop.0"), 4);
    assert_int_equal(stem("work.part.0.isra.0"), 4);
    assert_int_equal(stem("work.cold"), 4);
    assert_int_equal(stem("work.llvm.8273645"), 4);
    assert_int_equal(stem("_ZN1a4work.b"), strlen("_ZN1a4work.b"));
    assert_int_equal(stem(".cold"), strlen(".cold"));
}

/* The graph of every function held to itself: no block is without partner, and no partner is
 * another. */
static void a_function_is_itself(void **state)
{
    (void)state;
    struct binary binary;
    struct err err;
    if (!binary_open(&binary, "/proc/self/exe", &err))
        fail_msg("%s", err.text);
    size_t blocks = 0, astray = 0;
    for (function_id f = 0; f < binary.symbols.functions.n && blocks < 20000; f++) {
        struct cfg cfg;
        struct carry_pairs pairs;
        cfg_build(&cfg, &binary.image, &binary.symbols, f, NULL, 0);
        struct carry_side side = {&binary.image, &binary.symbols, &cfg, binary_lines(&binary)};
        carry_pairs_make(&pairs, &side, &side);
        for (block_id b = 0; b < cfg.blocks.n; b++) {
            assert_true(pairs.new_of[b] != BLOCK_NONE);
            assert_int_equal(pairs.old_of[pairs.new_of[b]], b);
            astray += pairs.new_of[b] != b;
        }
        assert_int_equal(pairs.n, cfg.blocks.n);
        blocks += cfg.blocks.n;
        carry_pairs_release(&pairs);
        cfg_release(&cfg);
    }
    assert_true(blocks > 1000);
    /* Equal blocks in equal surroundings cannot be told apart. */
    assert_true(astray * 100 < blocks);
    binary_close(&binary);
}

static void functions_are_themselves(void **state)
{
    (void)state;
    struct binary binary;
    struct carry_functions functions;
    struct err err;
    if (!binary_open(&binary, "/proc/self/exe", &err))
        fail_msg("%s", err.text);
    carry_functions_match(&functions, &binary, &binary);
    size_t named = 0;
    for (function_id f = 0; f < binary.symbols.functions.n; f++)
        if (binary.symbols.functions.at[f].source == FUNCTION_SYMBOL) {
            assert_int_equal(functions.new_of[f], f);
            assert_int_equal(functions.old_of[f], f);
            named++;
        }
    assert_true(named > 50);
    carry_functions_release(&functions);
    binary_close(&binary);
}

/* A build held to itself: each line has one number, whichever side it is on. */
static void lines_are_themselves(void **state)
{
    (void)state;
    struct binary binary;
    struct err err;
    if (!binary_open(&binary, "/proc/self/exe", &err))
        fail_msg("%s", err.text);
    size_t known = 0;
    for (function_id f = 0; f < binary.symbols.functions.n && known < 20000; f++) {
        struct cfg cfg;
        cfg_build(&cfg, &binary.image, &binary.symbols, f, NULL, 0);
        struct carry_side side = {&binary.image, &binary.symbols, &cfg, binary_lines(&binary)};
        uint64_t *old = mem_alloc(cfg.instructions.n * sizeof *old + 1),
                 *new = mem_alloc(cfg.instructions.n * sizeof *new + 1);
        size_t above = carry_lines_number(old, &side, new, &side);
        for (size_t i = 0; i < cfg.instructions.n; i++) {
            assert_int_equal(old[i], new[i]);
            assert_true(old[i] < above);
            known += old[i] != 0;
        }
        mem_free(old);
        mem_free(new);
        cfg_release(&cfg);
    }
    if (!known)
        skip(); /* built without lines */
    binary_close(&binary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_lose_what_compilers_put_behind_them),
        cmocka_unit_test(a_function_is_itself),
        cmocka_unit_test(functions_are_themselves),
        cmocka_unit_test(lines_are_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
