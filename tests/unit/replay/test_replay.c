/* Runs of this program's own code through a core, as a trace or windows would tell of them. */
#include "replay/replay.h"

#include <stddef.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/err.h"
#include "program/image.h"

#include <link.h>
#include <string.h>

/* Never called: it is only read. */
void loop_code(void);
__asm__(".text\n"
        ".globl loop_code\n"
        "loop_code:\n"
        "  push %rbx\n"         /* 1 */
        "  mov %rdi, 8(%rsp)\n" /* 5 */
        "  mov 8(%rsp), %rax\n" /* 5 */
        "  mov (%rax), %rcx\n"  /* 3 */
        "  mov %rcx, (%rdx)\n"  /* 3 */
        "  pop %rbx\n"          /* 1 */
        "  jne loop_code\n"     /* 2 */
        "  imul %rcx, %rcx\n"   /* 4 */
        "  ret\n");
enum { LOOP_INSTRUCTIONS = 7, LOOP_BYTES = 20, STORE = 1, LOAD = 2, POINTER = 3, POP = 5 };

struct fixture {
    struct replay_listener listener;
    struct image image;
    struct model model;
    struct code code;
    struct replay replay;
    struct svma loop;
    uint32_t steps, aborted, warming, gaps, addressed;
    uint32_t events[64]; /* of the last steps, by number */
};

static const struct image *image_of(void *context, uint32_t module)
{
    struct fixture *fixture = context;
    return module == 3 ? &fixture->image : NULL;
}

static void step(struct replay_listener *listener, const struct replay_step *step)
{
    struct fixture *fixture = (struct fixture *)listener;
    fixture->steps += !step->aborted;
    fixture->aborted += step->aborted;
    fixture->warming += step->warming && !step->aborted;
    fixture->addressed += step->addressed;
    if (!step->aborted && step->insn->id < 64)
        fixture->events[step->insn->id] = step->times->events;
}

static void gap(struct replay_listener *listener)
{
    ((struct fixture *)listener)->gaps++;
}

static int base_find(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    *(uint64_t *)context = info->dlpi_addr;
    return 1; /* the program is the first */
}

static void fixture_begin(struct fixture *fixture)
{
    struct err err;
    uint64_t base = 0;
    memset(fixture, 0, sizeof *fixture);
    fixture->listener = (struct replay_listener){step, gap};
    assert_true(image_open(&fixture->image, "/proc/self/exe", &err));
    assert_true(model_open("zen3", &fixture->model, &err));
    dl_iterate_phdr(base_find, &base);
    fixture->loop.v = (uint64_t)(uintptr_t)loop_code - base;
    code_init(&fixture->code, &fixture->model, (struct code_source){image_of, fixture});
    replay_init(&fixture->replay, &fixture->code);
    replay_listen(&fixture->replay, &fixture->listener);
}

static void fixture_end(struct fixture *fixture)
{
    replay_release(&fixture->replay);
    code_release(&fixture->code);
    model_release(&fixture->model);
    image_close(&fixture->image);
}

/* So often round, then out. */
static void loop_run(struct fixture *fixture, uint32_t first, uint32_t times,
                     const struct replay_data *data)
{
    uint64_t loop = replay_at(3, fixture->loop);
    for (uint32_t i = 0; i < times; i++)
        replay_run(&fixture->replay, first, LOOP_INSTRUCTIONS,
                   i + 1 < times ? loop : loop + LOOP_BYTES, data);
}

static void runs_share_numbers(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_begin(&fixture);
    uint32_t a = code_run(&fixture.code, 3, fixture.loop, LOOP_BYTES, LOOP_INSTRUCTIONS);
    uint32_t b = code_run(&fixture.code, 3, (struct svma){fixture.loop.v + 1}, LOOP_BYTES - 1,
                          LOOP_INSTRUCTIONS - 1);
    assert_int_not_equal(a, REPLAY_NONE);
    assert_int_not_equal(b, REPLAY_NONE);
    assert_int_equal(fixture.code.insns.at[a + 1].id, fixture.code.insns.at[b].id);
    assert_int_equal(fixture.code.places.n, LOOP_INSTRUCTIONS);
    assert_int_equal(fixture.code.places.at[1].at.v, fixture.loop.v + 1);
    assert_int_equal(fixture.code.insns.at[a + 6].target, replay_at(3, fixture.loop));
    fixture_end(&fixture);
}

static void what_is_not_there_is_refused(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_begin(&fixture);
    assert_int_equal(code_run(&fixture.code, 2, fixture.loop, LOOP_BYTES, LOOP_INSTRUCTIONS),
                     REPLAY_NONE);
    assert_int_equal(code_run(&fixture.code, 3, fixture.loop, LOOP_BYTES, 3), REPLAY_NONE);
    assert_int_equal(code_run(&fixture.code, 3, (struct svma){1}, LOOP_BYTES, 1 << 16),
                     REPLAY_NONE);
    fixture_end(&fixture);
}

/* What goes over the stack is found there, and what a pointer leads to is a hit that no store has made. */
static void addresses_are_followed(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_begin(&fixture);
    uint32_t first = code_run(&fixture.code, 3, fixture.loop, LOOP_BYTES, LOOP_INSTRUCTIONS);
    loop_run(&fixture, first, 100, NULL);
    assert_int_equal(fixture.steps, 100 * LOOP_INSTRUCTIONS);
    assert_true(fixture.events[LOAD] & CORE_FORWARDED);
    assert_true(fixture.events[POP] & CORE_FORWARDED);
    assert_false(fixture.events[POINTER] & (CORE_FORWARDED | CORE_L1D_MISS));
    assert_int_equal(fixture.addressed, 0);
    fixture_end(&fixture);
}

static void addresses_are_believed(void **state)
{
    struct fixture fixture;
    struct replay_data data[LOOP_INSTRUCTIONS] = {{0}};
    (void)state;
    fixture_begin(&fixture);
    uint32_t first = code_run(&fixture.code, 3, fixture.loop, LOOP_BYTES, LOOP_INSTRUCTIONS);
    for (uint64_t i = 0; i < 50; i++) { /* a line of another page each time, in no order */
        data[POINTER].address = 0x7f0000000000 + (i * 7919 % 1009) * 0x11000;
        loop_run(&fixture, first, 1, data);
        assert_true(fixture.events[POINTER] & CORE_L1D_MISS);
    }
    assert_int_equal(fixture.addressed, 50);
    fixture_end(&fixture);
}

static void gaps_warm(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_begin(&fixture);
    uint32_t first = code_run(&fixture.code, 3, fixture.loop, LOOP_BYTES, LOOP_INSTRUCTIONS);
    replay_gap(&fixture.replay, 10);
    loop_run(&fixture, first, 4, NULL);
    replay_gap(&fixture.replay, 5);
    loop_run(&fixture, first, 4, NULL);
    assert_int_equal(fixture.warming, 15);
    assert_int_equal(fixture.gaps, 2);
    fixture_end(&fixture);
}

/* When the loop is left the way back to its start was the wrong one. */
static void wrong_ways_are_told(void **state)
{
    struct fixture fixture;
    (void)state;
    fixture_begin(&fixture);
    uint32_t first = code_run(&fixture.code, 3, fixture.loop, LOOP_BYTES, LOOP_INSTRUCTIONS);
    loop_run(&fixture, first, 200, NULL);
    assert_int_equal(fixture.aborted, 0);
    fixture.replay.wrong_ways = true;
    loop_run(&fixture, first, 200, NULL);
    assert_true(fixture.aborted > 0);
    assert_int_equal(fixture.steps, 400 * LOOP_INSTRUCTIONS);
    fixture_end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_share_numbers),
        cmocka_unit_test(what_is_not_there_is_refused),
        cmocka_unit_test(addresses_are_followed),
        cmocka_unit_test(addresses_are_believed),
        cmocka_unit_test(gaps_warm),
        cmocka_unit_test(wrong_ways_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
