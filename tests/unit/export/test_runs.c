/* Whatever counts are given, straight runs cover each block as often as it ran; and cross each step
 * as often as it was gone, if counts fit together. */
#include "export/compilers/runs.h"
#include "program/cfg/cfg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void block(struct code_counts *code, uint32_t function, uint64_t start, uint32_t bytes,
                  uint64_t count)
{
    *vec_push(&code->blocks) = (struct code_block){.start = start,
                                                   .last = start + bytes - 1,
                                                   .bytes = bytes,
                                                   .function = function,
                                                   .count = count};
}

static void edge(struct code_counts *code, uint32_t function, uint64_t from, uint64_t to,
                 enum cfg_edge_kind kind, uint64_t count)
{
    *vec_push(&code->edges) = (struct code_edge){
        .from = from, .to = to, .kind = (uint8_t)kind, .function = function, .count = count};
}

static uint64_t covered(const struct runs *runs, uint64_t at)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < runs->n; i++)
        if (runs->at[i].start <= at && at <= runs->at[i].last)
            sum += runs->at[i].count;
    return sum;
}

static uint64_t crossed(const struct runs *runs, uint64_t from, uint64_t to)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < runs->n; i++)
        if (runs->at[i].start <= from && to <= runs->at[i].last)
            sum += runs->at[i].count;
    return sum;
}

/* entered 10 times; a loop of 90 more rounds; then on, half of the time past a block. */
static void runs_say_what_counts_say(void **state)
{
    (void)state;
    struct code_counts code = {0};
    block(&code, 1, 0x100, 8, 10);
    block(&code, 1, 0x108, 8, 100);
    block(&code, 1, 0x110, 8, 5);
    block(&code, 1, 0x118, 8, 10);
    block(&code, 1, 0x130, 8, 0);
    block(&code, 2, 0x138, 8, 7);
    edge(&code, 1, 0x107, 0x108, CFG_NEXT, 10);
    edge(&code, 1, 0x10F, 0x108, CFG_TAKEN, 90);
    edge(&code, 1, 0x10F, 0x110, CFG_FALL, 5);
    edge(&code, 1, 0x10F, 0x118, CFG_TAKEN, 5);
    edge(&code, 1, 0x117, 0x118, CFG_NEXT, 5);
    struct runs runs;
    runs_make(&runs, &code);
    for (size_t i = 0; i < code.blocks.n; i++) {
        assert_int_equal(covered(&runs, code.blocks.at[i].start), code.blocks.at[i].count);
        assert_int_equal(covered(&runs, code.blocks.at[i].last), code.blocks.at[i].count);
    }
    assert_int_equal(crossed(&runs, 0x107, 0x108), 10);
    assert_int_equal(crossed(&runs, 0x10F, 0x110), 5);
    assert_int_equal(crossed(&runs, 0x117, 0x118), 5);
    assert_int_equal(covered(&runs, 0x120), 0); /* not on into what does not follow */
    assert_int_equal(crossed(&runs, 0x137, 0x138), 0);
    for (size_t i = 1; i < runs.n; i++)
        assert_true(
            runs.at[i - 1].start < runs.at[i].start ||
            (runs.at[i - 1].start == runs.at[i].start && runs.at[i - 1].last < runs.at[i].last));
    runs_release(&runs);

    struct branches branches;
    *vec_push(&code.calls) = (struct code_call){
        .from = 0x101, .to = 0x138, .from_us = true, .to_us = true, .kind = 5, .count = 7};
    *vec_push(&code.calls) =
        (struct code_call){.from = 0x110, .from_us = true, .kind = 5, .count = 3};
    *vec_push(&code.calls) = (struct code_call){.to = 0x100, .to_us = true, .kind = 6, .count = 10};
    branches_make(&branches, &code);
    assert_int_equal(branches.n, 4); /* two jumps, one call, one from elsewhere */
    assert_int_equal(branches.at[0].from, 0x101);
    assert_int_equal(branches.at[1].to, 0x108);
    assert_int_equal(branches.at[1].count, 90);
    assert_true(branches.at[3].from == BRANCH_ELSEWHERE && branches.at[3].indirect);
    branches_release(&branches);
    code_counts_release(&code);
}

/* What was estimated need not fit together. */
static void blocks_are_covered_whatever_edges_say(void **state)
{
    (void)state;
    srand(7);
    for (int round = 0; round < 300; round++) {
        struct code_counts code = {0};
        uint64_t at = 0x1000;
        for (uint32_t function = 0; function < 3; function++)
            for (int i = 0; i < 12; i++) {
                block(&code, function, at, 4, (uint64_t)(rand() % 5) * (uint64_t)(rand() % 1000));
                if (rand() % 3)
                    edge(&code, function, at + 3, at + 4, rand() % 2 ? CFG_FALL : CFG_NEXT,
                         (uint64_t)(rand() % 2000));
                at += rand() % 4 ? 4 : 8;
            }
        struct runs runs;
        runs_make(&runs, &code);
        for (size_t i = 0; i < code.blocks.n; i++)
            assert_int_equal(covered(&runs, code.blocks.at[i].start), code.blocks.at[i].count);
        for (size_t i = 0; i < runs.n; i++)
            assert_true(runs.at[i].count && runs.at[i].start <= runs.at[i].last);
        runs_release(&runs);
        code_counts_release(&code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_say_what_counts_say),
        cmocka_unit_test(blocks_are_covered_whatever_edges_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
