/* Where lines were when windows began: programs whose sets of lines are known, and what a core then
 * says of them. */
#include "analysis/pipeline/residence.h"

#include <stddef.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/err.h"
#include "model/core/core.h"
#include "model/core/insn.h"
#include "profile/windows.h"

#include <math.h>

enum { WINDOWS = 100, USES = 400, LINE = 64, BASE = 0x100000 };

static uint64_t state;
static uint64_t chance(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

/* One instruction that uses lines of a set by chance; a second one, those of another. */
static void windows_make(struct windows *windows, uint64_t lines, uint64_t others)
{
    *windows = (struct windows){0};
    state = 1;
    for (int w = 0; w < WINDOWS; w++) {
        struct window_body body = {{0}};
        *vec_push(windows) = (struct window){.addressed = 1,
                                             .weight_ns = 1,
                                             .first_run = windows->runs.n,
                                             .n_runs = 1,
                                             .first_byte = windows->bytes.n};
        *vec_push(&windows->runs) = (struct window_run){0, 8, 2, 0x1000};
        for (int i = 0; i < USES; i++) {
            uint64_t addresses[2] = {BASE + LINE * chance(lines),
                                     (UINT64_C(1) << 40) + LINE * (others ? chance(others) : 0)};
            const uint16_t instructions[2] = {0, 1};
            window_write(windows, &body, 0, instructions, addresses, others ? 2 : 1);
        }
    }
}

/* Which level a core finds the first line of the last window in. */
static uint32_t level_of(struct windows *windows, uint32_t which, double *ret_lines)
{
    struct model model;
    struct residence residence;
    struct err err;
    struct core_insn insn;
    struct core_times times;
    static struct window_reader reader;
    const struct window_run *run;
    assert_true(model_open("zen3", &model, &err));
    residence_make(&residence, windows, &model);
    struct core *core = core_make(&model);
    for (size_t i = 0; i < windows->n; i++)
        residence_place(&residence, windows, i, core);
    window_open(&reader, windows, windows->n - 1);
    assert_true(window_read(&reader, &run));
    assert_true(core_insn_make(&model, (const uint8_t *)"\x48\x8b\x03", 3, &insn));
    struct core_fact fact = {
        .at = {0x1000}, .next = {0x1003}, .address = {reader.addresses[which]}};
    core_step(core, &insn, &fact, &times);
    if (ret_lines)
        *ret_lines = residence_lines(&residence.users.at[which]);
    core_free(core);
    residence_release(&residence);
    model_release(&model);
    return times.events & CORE_L3_MISS    ? 4
           : times.events & CORE_L2_MISS  ? 3
           : times.events & CORE_L1D_MISS ? 2
                                          : 1;
}

/* 32 KiB, 512 KiB and 32 MiB are what zen3 has. */
static void sets_lie_where_they_fit(void **unused)
{
    static const struct {
        uint64_t lines;
        uint32_t level;
    } sets[] = {{100, 1}, {5000, 2}, {100000, 3}, {UINT64_C(1) << 28, 4}};
    (void)unused;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct windows windows;
        double lines;
        windows_make(&windows, sets[i].lines, 0);
        assert_int_equal(level_of(&windows, 0, &lines), sets[i].level);
        if (sets[i].level < 4)
            assert_true(fabs(lines / (double)sets[i].lines - 1) < 0.1);
        else
            assert_true(lines > 1e7);
        windows_release(&windows);
    }
}

/* Lines that are used all the time stay near, though another instruction goes through a lot of
 * memory. */
static void streams_pass_by(void **unused)
{
    struct windows windows;
    (void)unused;
    windows_make(&windows, 20, UINT64_C(1) << 28);
    assert_int_equal(level_of(&windows, 0, NULL), 1);
    assert_int_equal(level_of(&windows, 1, NULL), 4);
    windows_release(&windows);
}

/* Windows that each hold a stretch of a walk through all lines in order: two of them share a lot,
 * and most of them nothing, but of pages they share some. */
static void stretches_windows_make(struct windows *windows, uint64_t n, uint64_t lines)
{
    *windows = (struct windows){0};
    for (uint64_t w = 0; w < n; w++) {
        struct window_body body = {{0}};
        uint64_t first = chance(lines);
        *vec_push(windows) = (struct window){.addressed = 1,
                                             .weight_ns = 1,
                                             .first_run = windows->runs.n,
                                             .n_runs = 1,
                                             .first_byte = windows->bytes.n};
        *vec_push(&windows->runs) = (struct window_run){0, 8, 2, 0x1000};
        for (uint64_t i = 0; i < USES; i++) {
            const uint64_t addresses[] = {BASE + LINE * ((first + 5 * i) % lines)};
            window_write(windows, &body, 0, (const uint16_t[]){0}, addresses, 1);
        }
    }
}

/* 8 MiB, which only the third cache has, whether windows share much, little or nothing. */
static void stretches_lie_where_they_fit(void **unused)
{
    (void)unused;
    state = 1;
    for (int i = 0; i < 100; i++) {
        struct windows windows;
        stretches_windows_make(&windows, 12 + chance(60), 1 << 17);
        assert_int_equal(level_of(&windows, 0, NULL), 3);
        windows_release(&windows);
    }
}

static void windows_without_addresses_say_nothing(void **unused)
{
    struct windows windows = {0};
    struct model model;
    struct residence residence;
    struct err err;
    (void)unused;
    *vec_push(&windows) = (struct window){0};
    assert_true(model_open("zen3", &model, &err));
    residence_make(&residence, &windows, &model);
    struct core *core = core_make(&model);
    residence_place(&residence, &windows, 0, core);
    assert_int_equal(residence.scales[0].n, 0);
    core_free(core);
    residence_release(&residence);
    model_release(&model);
    windows_release(&windows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_lie_where_they_fit),
        cmocka_unit_test(streams_pass_by),
        cmocka_unit_test(stretches_lie_where_they_fit),
        cmocka_unit_test(windows_without_addresses_say_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
