#include "infer/likely.h"

#include "base/err.h"
#include "base/memory.h"
#include "program/binary.h"
#include "program/cfg/cfg_build.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

/* Functions whose branches are known, in this program itself. */
__asm__(".text\n"
        ".type likely_loop, @function\n"
        "likely_loop: xor %eax, %eax\n"
        "1: inc %eax\n"
        "   cmp %edi, %eax\n"
        "   jb 1b\n"
        "   ret\n"
        ".size likely_loop, . - likely_loop\n"
        ".type likely_null, @function\n"
        "likely_null: test %rdi, %rdi\n"
        "   je 1f\n"
        "   lea 1(%rdi), %rax\n"
        "   nop\n"
        "1: ret\n"
        ".size likely_null, . - likely_null\n"
        ".type likely_trap, @function\n"
        "likely_trap: cmp %rsi, %rdi\n"
        "   ja 1f\n"
        "   xor %eax, %eax\n"
        "   ret\n"
        "1: ud2\n"
        ".size likely_trap, . - likely_trap\n");

static function_id function_named(const struct binary *binary, const char *name)
{
    for (size_t i = 0; i < binary->symbols.functions.n; i++)
        if (strcmp(binary->symbols.functions.at[i].name, name) == 0)
            return (function_id)i;
    fail_msg("no function %s", name);
    return FUNCTION_NONE;
}

/* What the first conditional branch of the function is likely to do: the odds of being taken. */
static double odds_taken(struct binary *binary, const char *name)
{
    struct cfg cfg;
    double odds[16], taken = NAN;
    cfg_build(&cfg, &binary->image, &binary->symbols, function_named(binary, name), NULL, 0);
    assert_true(cfg.edges.n <= 16);
    likely_edges(odds, &cfg, &binary->image);
    for (size_t i = cfg.edges.n; i-- > 0;)
        if (cfg.edges.at[i].kind == CFG_TAKEN)
            taken = odds[i];
    cfg_release(&cfg);
    return taken;
}

static void near(double got, double expected)
{
    if (!(fabs(got - expected) < 0.005))
        fail_msg("%f, expected %f", got, expected);
}

static void known_branches(void **state)
{
    (void)state;
    struct binary binary;
    struct err err;
    assert_true(binary_open(&binary, "/proc/self/exe", &err));
    near(odds_taken(&binary, "likely_loop"), 0.88);
    near(odds_taken(&binary, "likely_null"), 0.40);
    /* The way to the trap: 0.99 against; the other returns, which is avoided by 0.72. */
    near(odds_taken(&binary, "likely_trap"), 0.01 * 0.72 / (0.01 * 0.72 + 0.99 * 0.28));
    binary_close(&binary);
}

/* Whatever the code: odds of one block add up to one. */
static void odds_add_up(void **state)
{
    (void)state;
    struct binary binary;
    struct err err;
    assert_true(binary_open(&binary, "/lib/x86_64-linux-gnu/libc.so.6", &err));
    size_t branches = 0;
    for (function_id f = 0; f < binary.symbols.functions.n; f += 5) {
        struct cfg cfg;
        cfg_build(&cfg, &binary.image, &binary.symbols, f, NULL, 0);
        double *odds = mem_alloc(cfg.edges.n * sizeof *odds + 1);
        double *sums = mem_alloc(cfg.blocks.n * sizeof *sums + 1);
        likely_edges(odds, &cfg, &binary.image);
        for (size_t i = 0; i < cfg.edges.n; i++) {
            assert_true(odds[i] > 0 && odds[i] <= 1);
            sums[cfg.edges.at[i].from_block] += odds[i];
            branches += odds[i] < 1;
        }
        for (size_t i = 0; i < cfg.blocks.n; i++)
            assert_true(sums[i] == 0 || fabs(sums[i] - 1) < 1e-9);
        mem_free(odds);
        mem_free(sums);
        cfg_release(&cfg);
    }
    assert_true(branches > 1000);
    binary_close(&binary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_branches),
                                       cmocka_unit_test(odds_add_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
