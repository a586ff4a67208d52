/* Cores that are copied, and executions of which something is different. */
#include "model/core/core.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/err.h"
#include "model/core/insn.h"
#include "model/core/model.h"

#include <string.h>

enum { TIMES = 2000, CODE = 0x1000, DATA = 0x100000 };

static struct model model;

struct word {
    const char *bytes;
    size_t n;
};
/* A chain of additions through memory, a branch on it. */
static const struct word load = {"\x48\x8b\x1b", 3}; /* mov (%rbx),%rbx */
static const struct word store = {"\x88\x03", 2};    /* mov %al,(%rbx) */
static const struct word test = {"\x48\x85\xdb", 3}; /* test %rbx,%rbx */
static const struct word branch = {"\x75\x10", 2};   /* jne +16 */

static uint64_t random_next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void step(struct core *core, const struct word *word, struct core_fact fact,
                 struct core_times *times)
{
    struct core_insn insn;
    assert_true(core_insn_make(&model, (const uint8_t *)word->bytes, word->n, &insn));
    if (!fact.next.v)
        fact.next.v = fact.at.v + word->n;
    core_step(core, &insn, &fact, times);
}

/* What changes of each instruction. */
struct changes {
    uint8_t load, branch;
};

/* Retirement of the last of so many rounds. lines: of memory that is loaded from. */
static uint64_t rounds(struct core *core, uint64_t seed, uint64_t lines, bool narrow,
                       struct changes changes)
{
    struct core_times times = {0};
    for (int i = 0; i < TIMES; i++) {
        uint64_t address = DATA + random_next(&seed) % lines * 64;
        bool taken = random_next(&seed) & 1;
        if (narrow)
            step(core, &store, (struct core_fact){.at = {CODE}, .address = {address}}, &times);
        step(core, &load,
             (struct core_fact){.at = {CODE + 2}, .address = {address}, .changes = changes.load},
             &times);
        step(core, &test, (struct core_fact){.at = {CODE + 5}}, &times);
        step(core, &branch,
             (struct core_fact){.at = {CODE + 8},
                                .next = {taken ? CODE + 26 : 0},
                                .taken = taken,
                                .changes = changes.branch},
             &times);
    }
    return times.retire;
}

static uint64_t cycles(uint64_t lines, bool narrow, struct changes changes)
{
    struct core *core = core_make(&model);
    uint64_t began = rounds(core, 1, lines, narrow, changes);
    uint64_t ended = rounds(core, 2, lines, narrow, changes);
    core_free(core);
    return ended - began;
}

static void test_copy_goes_on_alike(void **state)
{
    struct core *one = core_make(&model), *other = core_make(&model);
    struct changes none = {0};
    (void)state;
    rounds(one, 1, 4096, true, none);
    rounds(other, 7, 64, false, none); /* nothing of it may be left */
    core_copy(other, one);
    uint64_t first = rounds(one, 2, 4096, true, none);
    assert_int_equal(rounds(other, 2, 4096, true, none), first);
    core_copy(other, one);
    rounds(other, 3, 4096, true, none); /* the copy is apart */
    uint64_t second = rounds(one, 4, 4096, true, none);
    assert_true(second > first);
    core_free(one);
    core_free(other);
}

static void test_predicted(void **state)
{
    uint64_t before = cycles(8, false, (struct changes){0});
    uint64_t after = cycles(8, false, (struct changes){.branch = CHANGE_PREDICTED});
    (void)state;
    /* Half of the guesses are wrong; each takes at least what fetch needs to begin anew. */
    assert_true(before - after > TIMES / 2 * (uint64_t)model.mispredict / 2);
    assert_true(after < TIMES * 6); /* the chain of loads is what is left */
}

static void test_near(void **state)
{
    struct changes predicted = {.branch = CHANGE_PREDICTED};
    struct changes near = {.branch = CHANGE_PREDICTED, .load = CHANGE_NEAR};
    (void)state;
    uint64_t few = cycles(8, false, predicted);
    assert_true(cycles(1 << 20, false, predicted) > 20 * few);
    /* As fast as if there were few lines, but for the first turn. */
    assert_int_equal(cycles(1 << 20, false, near), few);
}

static void test_forwarded(void **state)
{
    struct changes predicted = {.branch = CHANGE_PREDICTED};
    struct changes forwarded = {.branch = CHANGE_PREDICTED, .load = CHANGE_FORWARDED};
    (void)state;
    uint64_t fails = cycles(8, true, predicted), without = cycles(8, true, forwarded);
    assert_true(fails > without + TIMES * (uint64_t)model.forward_fail / 2);
}

static int model_set(void **state)
{
    struct err err;
    (void)state;
    return model_open("skylake", &model, &err) ? 0 : -1;
}

static int model_drop(void **state)
{
    (void)state;
    model_release(&model);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copy_goes_on_alike),
        cmocka_unit_test(test_predicted),
        cmocka_unit_test(test_near),
        cmocka_unit_test(test_forwarded),
    };
    return cmocka_run_group_tests(tests, model_set, model_drop);
}
