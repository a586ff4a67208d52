#include "infer/infer.h"

#include "base/memory.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* ---- functions made by hand: blocks 0 .. n - 1, entered at the first, left at the last */

static struct infer_count seen(uint64_t count)
{
    return (struct infer_count){.seen = count, .sd = (double)count / 10, .measured = true};
}

static void function_make(struct infer_problem *problem, const uint64_t *blocks, uint32_t n)
{
    *problem = (struct infer_problem){.grain = 1};
    for (uint32_t i = 0; i < n; i++) {
        struct infer_block *block = vec_push(&problem->blocks);
        block->ran = seen(blocks[i]);
        block->entered = seen(i == 0 ? blocks[i] : 0);
        block->left = seen(i == n - 1 ? blocks[i] : 0);
        block->entered.ruled = i != 0;
        block->left.ruled = i != n - 1;
    }
}

static void edge_add(struct infer_problem *problem, uint32_t from, uint32_t to, uint64_t count)
{
    *vec_push(&problem->edges) = (struct infer_edge){.from = from, .to = to, .gone = seen(count)};
}

static void consistent(const struct infer_problem *problem)
{
    size_t n = problem->blocks.n;
    uint64_t *in = mem_alloc(2 * n * sizeof *in), *out = in + n;
    for (size_t i = 0; i < problem->edges.n; i++) {
        out[problem->edges.at[i].from] += problem->edges.at[i].gone.inferred;
        in[problem->edges.at[i].to] += problem->edges.at[i].gone.inferred;
    }
    for (size_t i = 0; i < n; i++) {
        const struct infer_block *block = &problem->blocks.at[i];
        assert_int_equal(in[i] + block->entered.inferred, block->ran.inferred);
        assert_int_equal(out[i] + block->left.inferred, block->ran.inferred);
    }
    mem_free(in);
}

/* ---- what fits stays */

static void consistent_counts_stay(void **state)
{
    (void)state;
    for (enum infer_method method = INFER_CONFIDENCE; method <= INFER_PERFECT; method++)
        for (int large = 0; large < 2; large++) {
            uint64_t unit = large ? (uint64_t)1 << 60 : 1; /* more than all counts may add up to */
            struct infer_problem problem;
            function_make(&problem, (uint64_t[]){5 * unit, 4 * unit, 1 * unit, 5 * unit}, 4);
            edge_add(&problem, 0, 1, 4 * unit);
            edge_add(&problem, 0, 2, unit);
            edge_add(&problem, 1, 3, 4 * unit);
            edge_add(&problem, 2, 3, unit);
            infer_solve(&problem, method);
            for (size_t i = 0; i < problem.blocks.n; i++)
                assert_int_equal(problem.blocks.at[i].ran.inferred, problem.blocks.at[i].ran.seen);
            for (size_t i = 0; i < problem.edges.n; i++)
                assert_int_equal(problem.edges.at[i].gone.inferred, problem.edges.at[i].gone.seen);
            infer_release(&problem);
        }
}

/* Two blocks in a row, the second sampled ten times as often: usually the first is raised, which is
 * cheaper. Told that the second is over-sampled, flow lowers it; told that the first is
 * under-sampled, it raises that. */
static void classes_lead_the_way(void **state)
{
    (void)state;
    for (int how = 0; how < 4; how++) {
        struct infer_problem problem;
        function_make(&problem, (uint64_t[]){100, 1000}, 2);
        for (uint32_t i = 0; i < 2; i++)
            problem.blocks.at[i].entered = problem.blocks.at[i].left = (struct infer_count){0};
        problem.blocks.at[1].entered.ruled = problem.blocks.at[0].left.ruled = true;
        problem.points = true;
        edge_add(&problem, 0, 1, 100);
        problem.edges.at[0].gone.measured = false;
        if (how == 1)
            problem.blocks.at[1].sampled = CLASS_OVER;
        if (how == 2)
            problem.blocks.at[0].sampled = CLASS_UNDER;
        if (how == 3) /* told the wrong way round, either is as dear, but all must fit */
            problem.blocks.at[0].sampled = CLASS_OVER, problem.blocks.at[1].sampled = CLASS_UNDER;
        infer_solve(&problem, how ? INFER_CLASSES : INFER_CONFIDENCE);
        consistent(&problem);
        if (how < 3)
            assert_int_equal(problem.blocks.at[1].ran.inferred, how == 1 ? 100 : 1000);
        infer_release(&problem);
    }
}

static void nothing_seen_is_nothing_known(void **state)
{
    (void)state;
    struct infer_problem problem;
    function_make(&problem, (uint64_t[]){0, 0}, 2);
    edge_add(&problem, 0, 1, 0);
    infer_solve(&problem, INFER_CONFIDENCE);
    assert_int_equal(problem.blocks.at[0].ran.inferred, 0);
    assert_int_equal(problem.edges.at[0].gone.inferred, 0);
    infer_release(&problem);
    problem = (struct infer_problem){.grain = 1, .entry = UINT32_MAX};
    infer_solve(&problem, INFER_LEVIN);
    infer_release(&problem);
}

/* ---- what does not */

static void the_firm_count_holds(void **state)
{
    (void)state;
    struct infer_problem problem;
    function_make(&problem, (uint64_t[]){1000, 900, 1000}, 3);
    edge_add(&problem, 0, 1, 1000);
    edge_add(&problem, 1, 2, 1000);
    problem.blocks.at[1].ran.sd = 500;
    infer_solve(&problem, INFER_CONFIDENCE);
    consistent(&problem);
    assert_int_equal(problem.blocks.at[1].ran.inferred, 1000);
    infer_release(&problem);
}

/* Only blocks were sampled: edges follow. */
static void edges_from_blocks(void **state)
{
    (void)state;
    static const enum infer_method methods[] = {INFER_LEVIN, INFER_PROFI};
    for (size_t m = 0; m < 2; m++) {
        struct infer_problem problem;
        function_make(&problem, (uint64_t[]){100, 70, 30, 100}, 4);
        edge_add(&problem, 0, 1, 0);
        edge_add(&problem, 0, 2, 0);
        edge_add(&problem, 1, 3, 0);
        edge_add(&problem, 2, 3, 0);
        for (size_t i = 0; i < 4; i++)
            problem.edges.at[i].gone.measured = false;
        infer_solve(&problem, methods[m]);
        consistent(&problem);
        assert_int_equal(problem.edges.at[0].gone.inferred, 70);
        assert_int_equal(problem.edges.at[1].gone.inferred, 30);
        infer_release(&problem);
    }
}

/* A walk that was cut off at both ends weighs far too much; but it did go there. */
static void what_was_walked_happened(void **state)
{
    (void)state;
    struct infer_problem problem;
    function_make(&problem, (uint64_t[]){1000, 1000, 300, 1000}, 4);
    problem.grain = 2;
    edge_add(&problem, 0, 1, 1000);
    edge_add(&problem, 0, 2, 0);
    edge_add(&problem, 1, 3, 1000);
    edge_add(&problem, 2, 3, 0);
    problem.blocks.at[2].ran.sd = 300;
    infer_solve(&problem, INFER_CONFIDENCE);
    consistent(&problem);
    assert_int_equal(problem.blocks.at[2].ran.inferred, 2);
    assert_int_equal(problem.edges.at[1].gone.inferred, 2);
    infer_release(&problem);
}

/* A loop seen from its second turn on: its way in leads through ten blocks that nobody saw, and not
 * out of the blue. */
static void detours_before_miracles(void **state)
{
    (void)state;
    struct infer_problem problem;
    uint64_t blocks[13] = {[0] = 50, [11] = 600, [12] = 50};
    function_make(&problem, blocks, 13);
    for (uint32_t i = 0; i < 12; i++)
        edge_add(&problem, i, i + 1, i == 11 ? 50 : 0);
    edge_add(&problem, 11, 11, 550);
    edge_add(&problem, 0, 12, 0);
    infer_solve(&problem, INFER_CONFIDENCE);
    consistent(&problem);
    assert_int_equal(problem.blocks.at[11].entered.inferred, 0);
    assert_true(problem.edges.at[5].gone.inferred > 0);
    infer_release(&problem);
}

/* Windows inside of a loop that nobody was seen to enter or leave. */
static void isolated_loops_are_joined(void **state)
{
    (void)state;
    struct infer_problem problem;
    function_make(&problem, (uint64_t[]){0, 800, 800, 0, 0}, 5);
    problem.grain = 300;
    problem.one = 3;
    edge_add(&problem, 0, 1, 0);
    edge_add(&problem, 1, 2, 800);
    edge_add(&problem, 2, 1, 800);
    edge_add(&problem, 0, 3, 0);
    edge_add(&problem, 3, 4, 0);
    edge_add(&problem, 2, 4, 0);
    infer_solve(&problem, INFER_CONFIDENCE);
    consistent(&problem);
    assert_int_equal(problem.blocks.at[0].entered.inferred, 3);
    assert_int_equal(problem.edges.at[0].gone.inferred, 3);
    assert_int_equal(problem.edges.at[1].gone.inferred, 803);
    assert_int_equal(problem.edges.at[2].gone.inferred, 800);
    assert_int_equal(problem.edges.at[3].gone.inferred, 0);
    assert_int_equal(problem.blocks.at[4].left.inferred, 3);
    infer_release(&problem);
}

/* The same where the way past the loop was taken in its place: the function is known to have been
 * entered once. */
static void joining_does_not_enter_twice(void **state)
{
    (void)state;
    struct infer_problem problem;
    function_make(&problem, (uint64_t[]){0, 800, 800, 0, 0}, 5);
    problem.grain = 300;
    problem.one = 3;
    problem.blocks.at[0].entered.seen = 3;
    problem.blocks.at[0].entered.firm = true;
    edge_add(&problem, 0, 1, 0);
    edge_add(&problem, 1, 2, 800);
    edge_add(&problem, 2, 1, 800);
    edge_add(&problem, 0, 3, 0);
    edge_add(&problem, 3, 4, 0);
    edge_add(&problem, 2, 4, 0);
    problem.edges.at[0].gone.sd = 0;
    problem.blocks.at[3].ran.measured = false; /* the cheaper way */
    problem.edges.at[3].gone.measured = problem.edges.at[4].gone.measured = false;
    infer_solve(&problem, INFER_CONFIDENCE);
    consistent(&problem);
    assert_int_equal(problem.blocks.at[0].entered.inferred, 3);
    assert_int_equal(problem.edges.at[0].gone.inferred, 3);
    assert_int_equal(problem.edges.at[3].gone.inferred, 0);
    infer_release(&problem);
}

/* Between two blocks that were seen lie three ways, one of them in two steps, of which none was. */
static void unknown_ways_are_even(void **state)
{
    (void)state;
    static const enum infer_method methods[] = {INFER_CONFIDENCE, INFER_PROFI};
    for (size_t m = 0; m < 2; m++) {
        struct infer_problem problem;
        function_make(&problem, (uint64_t[]){90, 0, 0, 0, 0, 90}, 6);
        for (uint32_t i = 1; i <= 3; i++)
            edge_add(&problem, 0, i, 0);
        edge_add(&problem, 1, 5, 0);
        edge_add(&problem, 2, 4, 0);
        edge_add(&problem, 3, 4, 0);
        edge_add(&problem, 4, 5, 0);
        for (size_t i = 0; i < problem.edges.n; i++)
            problem.edges.at[i].gone.measured = false;
        for (size_t i = 1; i < 5; i++)
            problem.blocks.at[i].ran.measured = false;
        infer_solve(&problem, methods[m]);
        consistent(&problem);
        for (uint32_t i = 1; i <= 3; i++)
            assert_int_equal(problem.blocks.at[i].ran.inferred, 30);
        assert_int_equal(problem.blocks.at[4].ran.inferred, 60);
        infer_release(&problem);
    }
}

/* What was seen stays where it was, though an unseen way leads there, too. */
static void seen_ways_are_not_shared(void **state)
{
    (void)state;
    struct infer_problem problem;
    function_make(&problem, (uint64_t[]){90, 0, 90}, 3);
    edge_add(&problem, 0, 1, 0);
    edge_add(&problem, 0, 2, 90);
    edge_add(&problem, 1, 2, 0);
    infer_solve(&problem, INFER_CONFIDENCE);
    assert_int_equal(problem.edges.at[0].gone.inferred, 0);
    assert_int_equal(problem.edges.at[1].gone.inferred, 90);
    infer_release(&problem);
}

/* ---- anything */

static uint64_t dice_state;

static uint64_t dice(uint64_t sides)
{
    dice_state = dice_state * 6364136223846793005u + 1442695040888963407u;
    return (dice_state >> 20) % sides;
}

static void random_make(struct infer_problem *problem, uint64_t most)
{
    *problem = (struct infer_problem){.grain = 1 + dice(1000)};
    uint32_t n = 1 + (uint32_t)dice(40);
    for (uint32_t i = 0; i < n; i++) {
        struct infer_block *block = vec_push(&problem->blocks);
        struct infer_count *counts[] = {&block->ran, &block->entered, &block->left};
        for (int k = 0; k < 3; k++) {
            *counts[k] = seen(dice(3) ? 0 : dice(most));
            counts[k]->measured = dice(4);
            counts[k]->ruled = k && dice(3);
        }
    }
    for (uint64_t i = dice(3 * n); i > 0; i--)
        edge_add(problem, (uint32_t)dice(n), (uint32_t)dice(n), dice(2) ? 0 : dice(most));
    problem->entry = (uint32_t)dice(n);
}

static void always_consistent(void **state)
{
    (void)state;
    static const uint64_t most[] = {10, 100000, (uint64_t)1 << 40, (uint64_t)1 << 62};
    dice_state = 3;
    for (int round = 0; round < 400; round++)
        for (enum infer_method method = INFER_CONFIDENCE; method < INFER_STATIC; method++) {
            struct infer_problem problem;
            random_make(&problem, most[round % 4]);
            infer_solve(&problem, method);
            /* Bits are dropped from the largest, and what stays as it is keeps its own. */
            if (round % 4 != 3)
                consistent(&problem);
            infer_release(&problem);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(consistent_counts_stay),
                                       cmocka_unit_test(classes_lead_the_way),
                                       cmocka_unit_test(nothing_seen_is_nothing_known),
                                       cmocka_unit_test(the_firm_count_holds),
                                       cmocka_unit_test(edges_from_blocks),
                                       cmocka_unit_test(what_was_walked_happened),
                                       cmocka_unit_test(detours_before_miracles),
                                       cmocka_unit_test(isolated_loops_are_joined),
                                       cmocka_unit_test(joining_does_not_enter_twice),
                                       cmocka_unit_test(unknown_ways_are_even),
                                       cmocka_unit_test(seen_ways_are_not_shared),
                                       cmocka_unit_test(always_consistent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
