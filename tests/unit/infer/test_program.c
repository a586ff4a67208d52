#include "infer/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* Functions are chains of blocks, entered at the first and left at the last, in which a window of
 * 100 units saw each block `seen` times. */
enum { GRAIN = 100 };

static struct infer_count seen(uint64_t times)
{
    return (struct infer_count){
        .seen = times * GRAIN, .sd = (double)(times * GRAIN), .measured = true};
}

static void chain_add(struct infer_program *program, uint32_t blocks, uint64_t times)
{
    struct infer_problem *problem = vec_push(&program->functions);
    problem->grain = GRAIN;
    problem->one = 1;
    for (uint32_t i = 0; i < blocks; i++) {
        struct infer_block *block = vec_push(&problem->blocks);
        block->ran = seen(times);
        block->entered = seen(i == 0 ? times : 0);
        block->left = seen(i == blocks - 1 ? times : 0);
        block->entered.ruled = i != 0;
        block->left.ruled = i != blocks - 1;
        if (i)
            *vec_push(&problem->edges) =
                (struct infer_edge){.from = i - 1, .to = i, .gone = seen(times)};
    }
}

static void once(struct infer_program *program, uint32_t function)
{
    struct infer_count *entered = &program->functions.at[function].blocks.at[0].entered;
    entered->seen = 1;
    entered->firm = true;
}

static void call_add(struct infer_program *program, uint32_t caller, uint32_t block,
                     uint32_t callee, uint64_t part, uint64_t of)
{
    *vec_push(&program->calls) = (struct infer_call){
        .caller = caller, .callee = callee, .block = block, .seen = part, .of = of};
}

static uint64_t entries(const struct infer_program *program, uint32_t function)
{
    return program->functions.at[function].blocks.at[0].entered.inferred;
}

static uint64_t ran(const struct infer_program *program, uint32_t function, uint32_t block)
{
    return program->functions.at[function].blocks.at[block].ran.inferred;
}

/* main is entered once, and so is what it calls outside of loops, though each was seen and being
 * seen counts 100. */
static void once_is_once_all_the_way_down(void **state)
{
    (void)state;
    struct infer_program program = {0};
    for (uint32_t i = 0; i < 3; i++)
        chain_add(&program, 3, 1);
    once(&program, 2); /* whose callees stand before it */
    call_add(&program, 2, 1, 0, 1, 1);
    call_add(&program, 0, 1, 1, 1, 1);
    call_add(&program, 0, 2, 1, 1, 1);
    call_add(&program, INFER_ELSEWHERE, 0, 2, GRAIN, 0);
    infer_program_solve(&program, INFER_CONFIDENCE);
    assert_int_equal(program.calls.at[3].callee, 2);
    assert_int_equal(program.calls.at[3].inferred, 1); /* though it was seen to count more */
    assert_int_equal(entries(&program, 2), 1);
    assert_int_equal(entries(&program, 0), 1);
    assert_int_equal(entries(&program, 1), 2); /* called from two places */
    assert_int_equal(ran(&program, 1, 2), 2);
    infer_program_release(&program);
}

/* Inside a loop of main nothing is known to have happened once. */
static void loops_keep_their_counts(void **state)
{
    (void)state;
    struct infer_program program = {0};
    chain_add(&program, 3, 1);
    chain_add(&program, 2, 50);
    once(&program, 0);
    struct infer_problem *main = &program.functions.at[0];
    main->blocks.at[1].ran = seen(50);
    *vec_push(&main->edges) = (struct infer_edge){.from = 1, .to = 1, .gone = seen(49)};
    call_add(&program, 0, 1, 1, 1, 1);
    infer_program_solve(&program, INFER_CONFIDENCE);
    assert_int_equal(entries(&program, 0), 1);
    assert_in_range(ran(&program, 0, 1), 49 * GRAIN, 50 * GRAIN);
    assert_int_equal(entries(&program, 1), ran(&program, 0, 1));
    infer_program_release(&program);
}

/* Windows saw the inside of a function and never its entry; but its caller's block is known. */
static void callers_tell_entries(void **state)
{
    (void)state;
    struct infer_program program = {0};
    chain_add(&program, 3, 20);
    chain_add(&program, 3, 0);
    struct infer_problem *callee = &program.functions.at[1];
    callee->blocks.at[1].ran = seen(900);
    *vec_push(&callee->edges) = (struct infer_edge){.from = 1, .to = 1, .gone = seen(900)};
    call_add(&program, 0, 1, 1, 1, 1);
    infer_program_solve(&program, INFER_CONFIDENCE);
    assert_int_equal(entries(&program, 1), 20 * GRAIN);
    assert_int_equal(ran(&program, 1, 2), 20 * GRAIN);
    infer_program_release(&program);
}

/* An indirect call has all targets that were seen, in proportion; what comes from elsewhere is
 * added. */
static void indirect_calls_are_shared_out(void **state)
{
    (void)state;
    struct infer_program program = {0};
    chain_add(&program, 2, 40);
    chain_add(&program, 2, 30);
    chain_add(&program, 2, 10);
    call_add(&program, 0, 0, 1, 3, 4);
    call_add(&program, 0, 0, 2, 1, 4);
    call_add(&program, INFER_ELSEWHERE, 0, 2, 5 * GRAIN, 0);
    infer_program_solve(&program, INFER_CONFIDENCE);
    assert_int_equal(entries(&program, 1), 30 * GRAIN);
    assert_int_equal(entries(&program, 2), 15 * GRAIN);
    assert_int_equal(program.calls.at[0].inferred + program.calls.at[1].inferred +
                         program.calls.at[2].inferred,
                     45 * GRAIN);
    infer_program_release(&program);
}

/* Functions that call each other have counts as they were seen, and an end. */
static void circles_end(void **state)
{
    (void)state;
    struct infer_program program = {0};
    chain_add(&program, 3, 10);
    chain_add(&program, 3, 30);
    chain_add(&program, 3, 20);
    call_add(&program, 0, 1, 1, 1, 1);
    call_add(&program, 1, 1, 2, 2, 3);
    call_add(&program, 2, 1, 1, 1, 1);
    call_add(&program, 1, 2, 1, 0, 1);
    infer_program_solve(&program, INFER_CONFIDENCE);
    assert_int_equal(entries(&program, 0), 10 * GRAIN);
    assert_int_equal(entries(&program, 1), 30 * GRAIN);
    assert_int_equal(entries(&program, 2), 20 * GRAIN);
    infer_program_release(&program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(once_is_once_all_the_way_down), cmocka_unit_test(loops_keep_their_counts),
        cmocka_unit_test(callers_tell_entries), cmocka_unit_test(indirect_calls_are_shared_out),
        cmocka_unit_test(circles_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
