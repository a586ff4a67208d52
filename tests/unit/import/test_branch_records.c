/* Branch records of samples: what two of them bound is counted as it ran, what cannot have happened
 * is left out and told. */
#include "import/perf_data.h"

#include "base/err.h"
#include "perf_bytes.h"
#include "profile/profile.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

/* The code that the records are of; it never runs. */
__asm__(".text\n"
        ".type probe, @function\n"
        "probe: nop\n"
        "probe_cond: jne probe_away\n"
        "nop\n"
        "probe_jump: jmp probe_back\n"
        "ud2\n"
        "probe_away: nop\n"
        "probe_back: nop\n"
        "probe_ret: ret\n");
extern const char probe[], probe_cond[], probe_jump[], probe_away[], probe_back[], probe_ret[];

enum { WRONG_PATH = 1 << 24, ALL = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER };

struct record {
    const char *from, *to;
    uint64_t flags;
};

static void head_put(struct bytes_out *out, uint64_t branch_type)
{
    uint64_t type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_BRANCH_STACK;
    put(out, "PERFILE2", 8);
    put_u64(out, 104), put_u64(out, 80 + 16);
    put_u64(out, 112), put_u64(out, 80 + 16);
    put_u64(out, 208), put_u64(out, 0);
    for (int i = 0; i < 6; i++)
        put_u64(out, 0);
    put_u64(out, 11);
    put_u32(out, 4), put_u32(out, 80);
    put_u64(out, 0), put_u64(out, 1000), put_u64(out, type), put_u64(out, 0), put_u64(out, 0);
    put_u64(out, 0), put_u64(out, 0), put_u64(out, 0), put_u64(out, branch_type);
    put_u64(out, 104), put_u64(out, 8);
}

static void record_end(struct bytes_out *out, size_t at)
{
    uint16_t bytes = (uint16_t)(out->n - at);
    memcpy(out->at + at + 6, &bytes, sizeof bytes);
}

/* The mapping of this program that has the code. */
static void self_put(struct bytes_out *out)
{
    unsigned long begin, end, offset;
    char line[512], path[256];
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %255s", &begin, &end, &offset, path) == 4 &&
            begin <= (uintptr_t)probe && (uintptr_t)probe < end) {
            size_t at = record_begin(out, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
            put_u32(out, 7), put_u32(out, 7);
            put_u64(out, begin), put_u64(out, end - begin), put_u64(out, offset);
            put_text(out, path);
            record_end(out, at);
        }
    fclose(maps);
}

static void sample_put(struct bytes_out *out, const struct record *records, uint64_t n)
{
    size_t at = record_begin(out, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    put_u64(out, (uintptr_t)probe);
    put_u32(out, 7), put_u32(out, 7);
    put_u64(out, n);
    for (uint64_t i = 0; i < n; i++) {
        put_u64(out, (uintptr_t)records[i].from), put_u64(out, (uintptr_t)records[i].to);
        put_u64(out, records[i].flags);
    }
    record_end(out, at);
}

static void import(struct profile *profile, uint64_t branch_type, const struct record *records,
                   uint64_t n, uint64_t times)
{
    struct bytes_out out = {0};
    struct err err;
    head_put(&out, branch_type);
    self_put(&out);
    for (uint64_t i = 0; i < times; i++)
        sample_put(&out, records, n);
    uint64_t bytes = out.n - 208;
    memcpy(out.at + 48, &bytes, sizeof bytes);
    profile_init(profile);
    assert_true(perf_data_import(profile, out.at, out.n, NULL, &err));
    vec_release(&out);
}

/* Executions of the edges of that kind. */
static uint64_t edges_of(const struct profile *profile, enum edge_kind kind)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < profile->edges.n; i++) {
        const struct edge_key *key = map_key(&profile->edges.keys, i);
        sum += key->kind == kind ? profile->edges.at[i].count : 0;
    }
    return sum >> RATE_BITS;
}

/* Newest first: came by the jump, behind a branch that was not taken; and before that, by one that
 * was. */
static const struct record usual[] = {{probe_ret, probe, 0},
                                      {probe_jump, probe_back, 0},
                                      {probe_ret, probe, 0},
                                      {probe_cond, probe_away, 0},
                                      {probe_ret, probe, 0}};

static void runs_and_branches_are_counted(void **state)
{
    (void)state;
    struct profile profile;
    import(&profile, ALL, usual, 5, 100);
    assert_int_equal(profile.mode, PROFILE_SAMPLED);
    assert_int_equal(edges_of(&profile, EDGE_TAKEN), 100);
    assert_int_equal(edges_of(&profile, EDGE_FALL), 100);
    assert_int_equal(edges_of(&profile, EDGE_JUMP), 100);
    assert_int_equal(edges_of(&profile, EDGE_RETURN), 300);
    assert_int_equal(profile.totals.windows, 100);
    /* nop ret; nop jne nop jmp; nop nop ret; nop jne */
    assert_int_equal(profile.totals.instructions, 100 * (2 + 4 + 3 + 2));
    assert_true(profile.totals.batches > 8);
    assert_int_equal(profile.totals.losses[LOSS_branch_broken], 0);
    assert_int_equal(profile.totals.losses[LOSS_branch_astray], 0);
    profile_release(&profile);
}

static void what_cannot_be_is_told(void **state)
{
    static const struct record odd[] = {{probe_ret, probe, 0},
                                        {probe_ret, probe, 0},       /* across a jump */
                                        {probe_back, probe, 0},      /* from no branch */
                                        {probe_cond, probe_back, 0}, /* not its target */
                                        {probe_jump, probe_back, WRONG_PATH}};
    (void)state;
    struct profile profile;
    import(&profile, ALL, odd, 5, 1);
    assert_int_equal(profile.totals.losses[LOSS_branch_broken], 2);
    assert_int_equal(profile.totals.losses[LOSS_branch_astray], 2);
    assert_int_equal(profile.totals.losses[LOSS_branch_wrong_path], 1);
    assert_int_equal(edges_of(&profile, EDGE_TAKEN), 0);
    assert_int_equal(edges_of(&profile, EDGE_JUMP), 0);
    /* Two that were recorded, and the start of a function, to which nothing there leads. */
    assert_int_equal(edges_of(&profile, EDGE_RETURN), 3);
    profile_release(&profile);
}

/* The kernel interrupts code, starts a handler, and lets go on what was interrupted: that begins no
 * function. */
static void arrivals_from_the_kernel_are_counted(void **state)
{
    const char *kernel = (const char *)0xffffffff81000000;
    const struct record handled[] = {{probe_ret, probe, 0},      {kernel, probe_back, 0},
                                     {kernel, kernel + 8, 0},    {probe_cond, kernel, 0},
                                     {kernel, probe, 0},         {probe_away, kernel, 0},
                                     {probe_cond, probe_away, 0}};
    (void)state;
    struct profile profile;
    import(&profile, ALL, handled, 7, 1);
    assert_int_equal(edges_of(&profile, EDGE_RETURN), 2);
    assert_int_equal(edges_of(&profile, EDGE_TAKEN), 1);
    /* nop ret; nop jne; nop of what was interrupted */
    assert_int_equal(profile.totals.instructions, 2 + 2 + 1);
    for (int i = 0; i < LOSS_N; i++)
        assert_int_equal(profile.totals.losses[i], 0);
    profile_release(&profile);
}

/* Before the return that all samples end at one branch was passed, and before that one taken. */
static void directions_are_kept(void **state)
{
    (void)state;
    struct profile profile;
    import(&profile, ALL, usual, 5, 100);
    assert_int_equal(profile.turns.n, 1);
    const struct turns_key *key = map_key(&profile.turns.keys, 0);
    assert_int_equal(key->n, 2);
    assert_int_equal(key->directions, 2);
    assert_int_equal(profile.turns.at[0].count, 100);
    profile_release(&profile);
}

/* Of one record nothing ran but its branch. */
static void single_branches_are_counted(void **state)
{
    (void)state;
    struct profile profile;
    import(&profile, ALL, &usual[1], 1, 3);
    assert_int_equal(edges_of(&profile, EDGE_JUMP), 3);
    assert_int_equal(profile.totals.instructions, 3);
    assert_int_equal(profile.ranges.n, 0);
    profile_release(&profile);
}

/* Records of calls alone do not follow each other. */
static void chosen_branches_are_not_followed(void **state)
{
    (void)state;
    struct profile profile;
    import(&profile, PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_USER, usual, 5, 3);
    assert_int_equal(profile.mode, PROFILE_PLAIN);
    assert_int_equal(profile.edges.n, 0);
    assert_int_equal(profile.totals.losses[LOSS_branch_chosen], 3);
    profile_release(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_and_branches_are_counted),
        cmocka_unit_test(what_cannot_be_is_told),
        cmocka_unit_test(arrivals_from_the_kernel_are_counted),
        cmocka_unit_test(directions_are_kept),
        cmocka_unit_test(single_branches_are_counted),
        cmocka_unit_test(chosen_branches_are_not_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
