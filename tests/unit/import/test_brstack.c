/* Branch records as perf script prints them: read as the perf.data that it printed. */
#include "import/brstack.h"

#include "base/err.h"
#include "import/import.h"
#include "import/perf_data.h"
#include "profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The code that the records are of; it never runs. */
__asm__(".text\n"
        "probe: nop\n"
        "probe_cond: jne probe_away\n"
        "nop\n"
        "probe_jump: jmp probe_back\n"
        "probe_away: nop\n"
        "probe_back: nop\n"
        "probe_ret: ret\n");
extern const char probe[], probe_cond[], probe_jump[], probe_away[], probe_back[], probe_ret[];

struct text {
    VEC(char);
};

static void say(struct text *text, const char *line)
{
    for (; *line; line++)
        *vec_push(text) = *line;
}

static void map_say(struct text *text, int pid)
{
    unsigned long begin, end, offset;
    char line[512], path[256];
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %255s", &begin, &end, &offset, path) == 4 &&
            begin <= (uintptr_t)probe && (uintptr_t)probe < end) {
            char out[512];
            snprintf(
                out, sizeof out,
                "program %d PERF_RECORD_MMAP2 %d/%d: [0x%lx(0x%lx) @ %#lx 08:01 7 0]: r-xp %s\n",
                pid, pid, pid, begin, end - begin, offset, path);
            say(text, out);
        }
    fclose(maps);
}

static void branch_say(struct text *text, const char *from, const char *to, const char *flags)
{
    char out[128];
    snprintf(out, sizeof out, " %p/%p/%s ", (const void *)from, (const void *)to, flags);
    say(text, out);
}

/* Two straight runs of four and of two instructions. */
static void branches_say(struct text *text)
{
    branch_say(text, probe_ret, probe, "P/-/-/1");
    branch_say(text, probe_jump, probe_back, "M/-/-/17/UNCOND/NON_SPEC_CORRECT_PATH");
    branch_say(text, probe_ret, probe, "P/-/-/0//-");
}

static void import(struct profile *profile, struct text *text, uint64_t *bad)
{
    struct import_bytes bytes;
    struct err err;
    *vec_push(text) = 0;
    assert_true(brstack_is(text->at));
    assert_true(brstack_convert(&bytes, bad, text->at, NULL, &err));
    profile_init(profile);
    assert_true(perf_data_import(profile, bytes.at, bytes.n, NULL, &err));
    vec_release(&bytes);
    vec_release(text);
}

static void expect(struct text *text, uint64_t samples, uint64_t instructions, uint64_t bad)
{
    struct profile profile;
    uint64_t found;
    import(&profile, text, &found);
    assert_int_equal(found, bad);
    assert_int_equal(profile.totals.windows, samples);
    assert_int_equal(profile.totals.instructions, instructions);
    assert_int_equal(profile.totals.losses[LOSS_garbled], 0);
    profile_release(&profile);
}

static void addresses_and_branches(void **state)
{
    struct text text = {0};
    (void)state;
    map_say(&text, 7);
    for (int i = 0; i < 3; i++) {
        say(&text, i ? "          40062f " : "   12   400629 [unknown] ([unknown]) ");
        branches_say(&text);
        say(&text, "\n");
    }
    expect(&text, 3, 3 * (2 + 4), 0);
}

/* Scripts add equal samples up: a number, and the sample. */
static void a_number_before_a_sample_is_how_often(void **state)
{
    struct text text = {0};
    (void)state;
    map_say(&text, 7);
    say(&text, "1000\n          40062f ");
    branches_say(&text);
    say(&text, "\n          40062f ");
    branches_say(&text);
    say(&text, "\n");
    expect(&text, 1001, 1001 * (2 + 4), 0);
}

/* With everything that perf script can print before them, and stacks between. */
static void heads_and_stacks(void **state)
{
    struct text text = {0};
    struct profile profile;
    uint64_t bad;
    (void)state;
    map_say(&text, 7);
    say(&text, "program 9/9 PERF_RECORD_FORK(8:8):(7:7)\n");
    say(&text, "two words     8/12    [001] 77.123456:      1000 cycles:u: \n");
    say(&text, "\t    40062f main+0x8 (/usr/bin/program)\n\t    400700 start (/usr/bin/program)\n");
    branches_say(&text);
    say(&text, "\n\nprogram     9    [001] 77.123457:      1000 cycles:u:       40062f");
    branches_say(&text);
    import(&profile, &text, &bad);
    assert_int_equal(bad, 0);
    /* Process 9 has no mappings, so its branches are nowhere. */
    assert_int_equal(profile.totals.windows, 1);
    assert_int_equal(profile.totals.interrupts, 2);
    assert_string_equal(profile_fact_find(&profile, "event"), "cycles:u");
    profile_release(&profile);
}

/* The name of a program may look like an address. */
static void a_name_is_no_address(void **state)
{
    struct text text = {0};
    struct profile profile;
    uint64_t bad;
    (void)state;
    map_say(&text, 7);
    say(&text, "dead beef     7/7    [001] 77.123456:      1000 cycles:u:       40062f ");
    branches_say(&text);
    import(&profile, &text, &bad);
    assert_int_equal(profile.totals.interrupts, 1);
    assert_true(profile.stacks.nodes.n > 0);
    for (uint32_t i = 0; i < profile.stacks.nodes.n; i++)
        assert_int_not_equal(stacks_key(&profile.stacks, i).address, 0xdead);
    profile_release(&profile);
}

static void what_is_broken_ends_a_sample(void **state)
{
    struct text text = {0};
    (void)state;
    map_say(&text, 7);
    say(&text, "40062f");
    branches_say(&text);
    say(&text, " 0x12-0x34 ");
    branches_say(&text);
    say(&text, "\n40062f");
    branch_say(&text, probe_ret, probe, "P/-/-/0/COND/SPEC_WRONG_PATH");
    branches_say(&text);
    say(&text, "\n");
    expect(&text, 2, 2 * (2 + 4), 1);
}

static void without_mappings_the_program_must_be_named(void **state)
{
    struct import_bytes bytes;
    struct err err;
    uint64_t bad;
    (void)state;
    assert_false(brstack_convert(&bytes, &bad, "40062f 0x1/0x2/P\n", NULL, &err));
    assert_int_equal(err.kind, ERR_USAGE);
    assert_true(brstack_convert(&bytes, &bad, "40062f 0x1/0x2/P\n", "/proc/self/exe", &err));
    vec_release(&bytes);
    assert_false(brstack_is("fn: (1) main\n0x12 0x34/\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_and_branches),
        cmocka_unit_test(a_number_before_a_sample_is_how_often),
        cmocka_unit_test(heads_and_stacks),
        cmocka_unit_test(a_name_is_no_address),
        cmocka_unit_test(what_is_broken_ends_a_sample),
        cmocka_unit_test(without_mappings_the_program_must_be_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
