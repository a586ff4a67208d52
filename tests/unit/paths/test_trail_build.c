/* Ways from history on real code, against its exact course: this program, single-stepped. */
#include "paths/trail_build.h"
#include "paths/trail_course.h"

#include "base/err.h"
#include "program/insn/disasm.h"
#include "program/elf/image.h"
#include "program/symbols/symbols.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define APART __attribute__((noinline, noclone))

/* ---- what is watched: branches that depend on data, loops, calls, a call that is a jump,
 * recursion */

static volatile uint32_t sink;

APART static uint32_t mix(uint32_t x)
{
    if (x & 1)
        sink = x = x * 2654435761u + 1;
    if (x & 16)
        sink = x ^= x >> 7;
    return x;
}

APART static uint32_t count_bits(uint32_t x)
{
    uint32_t n = 0;
    for (; x; x >>= 1)
        if (x & 1)
            sink = n++;
    return n;
}

APART static uint32_t forward(uint32_t x)
{
    sink = x;
    return count_bits(x & 0xff);
}

APART static uint32_t tree(uint32_t depth, uint32_t x)
{
    if (!depth)
        return mix(x);
    uint32_t left = tree(depth - 1, mix(x));
    return left & 4 ? left + tree(depth - 1, x ^ left) : left;
}

APART static uint32_t work(uint32_t rounds)
{
    uint32_t sum = 1;
    for (uint32_t i = 0; i < rounds; i++) {
        switch (sum % 4) {
        case 0: sum += mix(i); break;
        case 1: sum += forward(sum); break;
        case 2: sum ^= count_bits(i); break;
        default: sum += i & 2 ? tree(3, sum) : mix(sum); break;
        }
    }
    return sum;
}

/* ---- its course */

enum { STEPS_MAX = 40000 };
static struct svma steps[STEPS_MAX];
static size_t n_steps;

static bool course_take(uint64_t bias, uint64_t from, uint64_t bytes)
{
    struct user_regs_struct registers;
    int status;
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        sink = work(60);
        _exit(0);
    }
    bool inside = false;
    for (n_steps = 0; n_steps < STEPS_MAX;) {
        if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
            break;
        if (ptrace(PTRACE_GETREGS, child, NULL, &registers))
            break;
        inside |= registers.rip - bias - from < bytes;
        uint64_t at = registers.rip - bias;
        /* An instruction that is repeated stands still. */
        if (inside && !(n_steps && steps[n_steps - 1].v == at))
            steps[n_steps++] = (struct svma){at};
        if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL))
            break;
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return n_steps > 1000;
}

struct seen_list {
    VEC(struct trail_seen);
};

static void course_seen(const struct image *image, struct seen_list *seen)
{
    for (size_t i = 1; i < n_steps; i++) {
        struct instruction last;
        if (disasm_at(image, steps[i - 1], &last))
            *vec_push(seen) = (struct trail_seen){last.at, steps[i], 1};
    }
}

static void ways_of_this_program(void **state)
{
    (void)state;
    struct image image;
    struct symbols symbols;
    struct trail_graph graph;
    struct trail_course course;
    struct seen_list seen = {0};
    struct err err;
    uint64_t start = 0, bytes = 0, bias;
    assert_true(image_open(&image, "/proc/self/exe", &err));
    symbols_build(&symbols, &image);
    for (size_t i = 0; i < symbols.functions.n; i++)
        if (strcmp(symbols.functions.at[i].name, "work") == 0) {
            start = symbols.functions.at[i].start.v;
            bytes = symbols.ranges.at[symbols.functions.at[i].first_range].bytes;
        }
    assert_true(start != 0);
    bias = (uint64_t)(uintptr_t)work - start;
    if (!course_take(bias, start, bytes))
        skip(); /* nobody may be traced here */
    course_seen(&image, &seen);
    trail_build(&graph, &image, &symbols, seen.at, seen.n);
    enum { LENGTHS = 3, REACH = 4000 };
    struct trail_scores scores[LENGTHS][2] = {0};
    for (size_t i = 2000; i < n_steps; i += 17) {
        size_t first = i < REACH ? 0 : i - REACH;
        trail_course_make(&course, &graph, &image, &symbols, steps + first, i - first + 1);
        for (uint32_t k = 0; k < 2 * LENGTHS && trail_course_known(&course); k++)
            trail_course_ask(&course, 2 + k / 2 * 5, k % 2, 1 + i % 50, &scores[k / 2][k % 2]);
        trail_course_release(&course);
    }
    printf("bits  across  blocks  counts  history  pair  likely  gave up  of\n");
    for (uint32_t k = 0; k < 2 * LENGTHS; k++) {
        const struct trail_scores *at = &scores[k / 2][k % 2];
        printf("%4u %7u %7u %7u %8u %5u %7u %8u %4u\n", 2 + k / 2 * 5, k % 2, at->blocks,
               at->counts, at->history, at->pair, at->likely, at->gave_up, at->asked);
        /* What was gone is always among what is found. */
        assert_int_equal(at->wrong, 0);
        assert_true(at->asked > 100 && at->pair >= at->history && at->gave_up < at->asked / 2);
        assert_true(at->likely >= at->history && at->likely >= at->counts);
        if (k % 2 == 0)
            assert_true(at->history > at->asked / 2);
    }
    trail_graph_release(&graph);
    vec_release(&seen);
    symbols_release(&symbols);
    image_close(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_of_this_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
