#include "consumers/exact.h"

#include "../process/fake_code.h"

#include <link.h>
struct fixture {
    struct fake_code code;
    struct exact exact;
};

static void open_fixture(struct fixture *fixture)
{
    fake_code_open(&fixture->code,
                   (struct wire_map){.start = 0x1000, .end = 0x100000, .offset = 0x1000});
    fixture->code.profile.mode = PROFILE_EXACT;
    exact_init(&fixture->exact, &fixture->code.units, &fixture->code.profile);
}

static void close_fixture(struct fixture *fixture)
{
    exact_release(&fixture->exact);
    fake_code_close(&fixture->code);
}

static void read_all(struct fixture *fixture, bool last)
{
    fake_code_read_good(&fixture->code);
    const uint64_t room = CHANNEL_COUNTERS_BYTES / sizeof(uint64_t);
    uint64_t n = fixture->code.fake.channel->counters;
    exact_read(&fixture->exact,
               &(struct exact_reading){.counters = fake_counters(&fixture->code.fake),
                                       .n = n < room ? n : room,
                                       .threads = 1,
                                       .last = last});
}

static uint64_t range(const struct fixture *fixture, uint64_t start, uint64_t last, uint32_t n)
{
    struct range_key key = {.module = 0, .instructions = n, .start = {start}, .last = {last}};
    const struct sums *sums = table_find(&fixture->code.profile.ranges, &key);
    return sums ? sums->count : 0;
}

/* The place in the order of first execution; 0: none is known. */
static uint64_t first(const struct fixture *fixture, uint64_t at)
{
    struct first_key key = {.at = {at}};
    const struct sums *sums = table_find(&fixture->code.profile.firsts, &key);
    assert_true(!sums || sums->count == 1);
    return sums ? sums->time : 0;
}

static uint64_t edge(const struct fixture *fixture, uint64_t from, uint64_t to, enum edge_kind kind)
{
    struct edge_key key = {.from = {from}, .to = {to}, .kind = kind};
    if (kind == EDGE_RETURN)
        key.from_module = MODULE_NONE;
    const struct sums *sums = table_find(&fixture->code.profile.edges, &key);
    return sums ? sums->count : 0;
}

/* Of fake_loop: counters 0..2 for the head, 3..4 for the callee, 5..6 for the end. */
static void set_loop(struct fixture *fixture, uint32_t counter, uint64_t entries, uint64_t left,
                     uint64_t calls, uint64_t returns)
{
    uint64_t *counters = fake_counters(&fixture->code.fake) + counter;
    counters[0] = entries;
    counters[1] = left;
    counters[3] = calls;
    counters[5] = returns;
    if (fixture->code.fake.channel->counters < counter + 7)
        fixture->code.fake.channel->counters = counter + 7;
}

static void a_loop_by_hand(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture);
    fake_loop(&fixture.code.fake, 0, 0);
    set_loop(&fixture, 0, 1001, 1, 1000, 1000);
    read_all(&fixture, true);
    assert_int_equal(range(&fixture, 0x1000, 0x1008, 4), 1001);
    assert_int_equal(range(&fixture, 0x100a, 0x100d, 3), 1000);
    assert_int_equal(range(&fixture, 0x2000, 0x200b, 5), 1000);
    assert_int_equal(range(&fixture, 0x1012, 0x1014, 2), 1000);
    assert_int_equal(edge(&fixture, 0x1008, 0x1100, EDGE_TAKEN), 1);
    assert_int_equal(edge(&fixture, 0x1008, 0x100a, EDGE_FALL), 1000);
    assert_int_equal(edge(&fixture, 0x100d, 0x2000, EDGE_CALL), 1000);
    assert_int_equal(edge(&fixture, 0x1014, 0x1000, EDGE_JUMP), 1000);
    assert_int_equal(edge(&fixture, 0, 0x1012, EDGE_RETURN), 1000);
    assert_int_equal(edge(&fixture, 0, 0x1000, EDGE_RETURN), 1); /* the way in */
    assert_int_equal(fixture.code.profile.edges.n, 6);
    assert_int_equal(first(&fixture, 0x1000), 1);
    assert_int_equal(first(&fixture, 0x2000), 2);
    assert_int_equal(fixture.code.profile.firsts.n, 2); /* where calls return to is no function */
    assert_int_equal(fixture.exact.instructions, 1001 * 4 + 1000 * (3 + 5 + 2));
    close_fixture(&fixture);
}

/* Counters read at odd moments: nothing is given out twice or too much, and the end is exact. */
static void readings_in_between_do_not_change_the_end(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture);
    fake_loop(&fixture.code.fake, 0, 0);
    set_loop(&fixture, 0, 1, 0, 0, 0); /* entered, undecided */
    read_all(&fixture, false);
    assert_int_equal(edge(&fixture, 0x1008, 0x100a, EDGE_FALL), 0);
    set_loop(&fixture, 0, 500, 0, 510, 520); /* the reader was slow: later counters are ahead */
    read_all(&fixture, false);
    assert_int_equal(edge(&fixture, 0x1008, 0x100a, EDGE_FALL), 499);
    assert_int_equal(edge(&fixture, 0, 0x1012, EDGE_RETURN), 0);
    set_loop(&fixture, 0, 600, 700, 600, 600); /* more taken than entered */
    read_all(&fixture, false);
    assert_int_equal(edge(&fixture, 0x1008, 0x100a, EDGE_FALL), 499);
    set_loop(&fixture, 0, 2000, 700, 1300, 1300);
    read_all(&fixture, true);
    assert_int_equal(range(&fixture, 0x1000, 0x1008, 4), 2000);
    assert_int_equal(edge(&fixture, 0x1008, 0x1100, EDGE_TAKEN), 700);
    assert_int_equal(edge(&fixture, 0x1008, 0x100a, EDGE_FALL), 1300);
    assert_int_equal(edge(&fixture, 0x100d, 0x2000, EDGE_CALL), 1300);
    assert_int_equal(edge(&fixture, 0, 0x1012, EDGE_RETURN), 1300);
    assert_int_equal(edge(&fixture, 0, 0x1000, EDGE_RETURN), 700);
    assert_int_equal(fixture.exact.instructions, 2000 * 4 + 1300 * (3 + 5 + 2));
    close_fixture(&fixture);
}

/* After a flush of the code cache the same code has new superblocks; control goes between old and
 * new ones only by way of the flush, so arrivals are added up by place. */
static void superblocks_of_one_place_add_up(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture);
    fake_loop(&fixture.code.fake, 0, 0);
    set_loop(&fixture, 0, 10, 0, 10, 10);
    read_all(&fixture, false);
    fake_loop(&fixture.code.fake, 4, 7);
    set_loop(&fixture, 7, 21, 1, 20, 20);
    read_all(&fixture, true);
    assert_int_equal(range(&fixture, 0x1000, 0x1008, 4), 31);
    assert_int_equal(edge(&fixture, 0x100d, 0x2000, EDGE_CALL), 30);
    assert_int_equal(edge(&fixture, 0, 0x1012, EDGE_RETURN), 30);
    assert_int_equal(edge(&fixture, 0, 0x1000, EDGE_RETURN), 1);
    close_fixture(&fixture);
}

static void pairs_are_no_returns(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture);
    fake_loop(&fixture.code.fake, 0, 0);
    set_loop(&fixture, 0, 1001, 1, 1005, 1000); /* five more calls, through a pointer */
    const struct wire_segment site = {
        .start = 0x3000, .bytes = 3, .instructions = 1, .end = SEGMENT_ICALL, .last_bytes = 3};
    fake_superblock(&fixture.code.fake, 10, 7, 1, &site);
    fake_counters(&fixture.code.fake)[7] = 6;
    fake_pair(&fixture.code.fake, 10, 9, 0x2000);
    fake_counters(&fixture.code.fake)[9] = 5;
    fake_pair(&fixture.code.fake, 10, 10, 0x5000);
    fake_counters(&fixture.code.fake)[10] = 1;
    fixture.code.fake.channel->counters = 11;
    read_all(&fixture, true);
    assert_int_equal(edge(&fixture, 0x3000, 0x2000, EDGE_ICALL), 5);
    assert_int_equal(edge(&fixture, 0x3000, 0x5000, EDGE_ICALL), 1);
    assert_int_equal(edge(&fixture, 0, 0x2000, EDGE_RETURN), 0);
    assert_int_equal(edge(&fixture, 0, 0x3000, EDGE_RETURN), 6);
    close_fixture(&fixture);
}

/* Counters that are not published are not read, wherever a superblock says they are. */
static void counters_out_of_bounds_count_nothing(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture);
    fake_loop(&fixture.code.fake, 0, UINT32_MAX - 20);
    fake_loop(&fixture.code.fake, 4, CHANNEL_COUNTERS_BYTES / 8 - 1);
    fixture.code.fake.channel->counters = UINT64_MAX;
    fake_counters(&fixture.code.fake)[CHANNEL_COUNTERS_BYTES / 8 - 1] = 3;
    read_all(&fixture, true);
    assert_int_equal(range(&fixture, 0x1000, 0x1008, 4), 3);
    assert_int_equal(edge(&fixture, 0x1008, 0x100a, EDGE_FALL), 3);
    assert_int_equal(range(&fixture, 0x2000, 0x200b, 5), 0);
    close_fixture(&fixture);
}

/* Real code, for a cut in the middle of it: lengths 1, 5, 3, 1. */
void cut_me(void);
__asm__(".globl cut_me\ncut_me: push %rbx\n mov $7,%eax\n add %rax,%rbx\n ret\n");

static int own_base(struct dl_phdr_info *info, size_t size, void *base)
{
    (void)size;
    *(uint64_t *)base = info->dlpi_addr;
    return 1;
}

/* Adds it as two instructions before it, and itself. */
static struct place cut_me_open(struct fixture *fixture)
{
    open_fixture(fixture);
    uint64_t base = 0, start = (uint64_t)(uintptr_t)cut_me;
    char path[4096] = {0};
    dl_iterate_phdr(own_base, &base);
    assert_true(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
    /* Text has the same distance from its file offset on all of its page. */
    struct wire_map map = {.start = start & ~0xfffull, .end = (start & ~0xfffull) + 0x1000};
    map.offset = map.start - base;
    mappings_add(&fixture->code.mappings, &map, path);
    const struct wire_segment segments[] = {
        {.start = start - 10, .target = 0x1000, .bytes = 10, .instructions = 2, .last_bytes = 2},
        {.start = start, .bytes = 10, .instructions = 4, .end = SEGMENT_RETURN, .last_bytes = 1}};
    fake_superblock(&fixture->code.fake, 0, 0, 2, segments);
    fixture->code.fake.channel->counters = 3;
    return mappings_place(&fixture->code.mappings, (struct avma){start});
}

/* 0: such a range is not in the profile. */
static uint64_t cut_me_ran(const struct fixture *fixture, struct place place, uint32_t instructions,
                           uint64_t bytes)
{
    struct range_key key = {.module = place.module,
                            .instructions = instructions,
                            .start = place.address,
                            .last = {place.address.v + bytes}};
    const struct sums *sums = table_find(&fixture->code.profile.ranges, &key);
    return sums ? sums->count : 0;
}

static void a_cut_counts_what_ran(void **state)
{
    (void)state;
    struct fixture fixture;
    struct place place = cut_me_open(&fixture);
    fake_cut(&fixture.code.fake, 0, 1, 3);
    fake_counters(&fixture.code.fake)[0] = 8;
    fake_counters(&fixture.code.fake)[1] = 2;
    read_all(&fixture, true);
    uint64_t at = place.address.v;
    assert_int_equal(cut_me_ran(&fixture, place, 4, 9), 5);
    assert_int_equal(cut_me_ran(&fixture, place, 3, 6), 1);
    struct edge_key fall = {.from_module = place.module,
                            .to_module = place.module,
                            .from = {at - 2},
                            .to = {at},
                            .kind = EDGE_FALL};
    assert_int_equal(table_find(&fixture.code.profile.edges, &fall)->count, 6);
    assert_int_equal(fixture.exact.instructions, 8 * 2 + 5 * 4 + 3);
    close_fixture(&fixture);
}

/* A thread is in the code while its counters are read, and then a fault cuts it: what it was
 * counted for must not have been given out as a whole. */
static void what_is_cut_later_was_not_given_out(void **state)
{
    (void)state;
    struct fixture fixture;
    struct place place = cut_me_open(&fixture);
    const struct wire_segment alone = {.start = (uint64_t)(uintptr_t)cut_me,
                                       .bytes = 10,
                                       .instructions = 4,
                                       .end = SEGMENT_RETURN,
                                       .last_bytes = 1};
    fake_superblock(&fixture.code.fake, 2, 3, 1, &alone);
    fixture.code.fake.channel->counters = 4;
    fake_counters(&fixture.code.fake)[3] = 1;
    read_all(&fixture, false);
    fake_cut(&fixture.code.fake, 2, 0, 3);
    read_all(&fixture, true);
    assert_int_equal(cut_me_ran(&fixture, place, 3, 6), 1);
    assert_int_equal(cut_me_ran(&fixture, place, 4, 9), 0);
    assert_int_equal(fixture.exact.instructions, 3);
    close_fixture(&fixture);
}

/* Counters were read up to the head's entries, and the head was published then: which of them left
 * was not read. */
static void a_superblock_of_half_read_counters_waits(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture);
    fake_loop(&fixture.code.fake, 0, 0);
    set_loop(&fixture, 0, 10, 9, 1, 1);
    fixture.code.fake.channel->counters = 1;
    read_all(&fixture, false);
    assert_int_equal(edge(&fixture, 0x1008, 0x100a, EDGE_FALL), 0);
    fixture.code.fake.channel->counters = 7;
    read_all(&fixture, true);
    assert_int_equal(range(&fixture, 0x1000, 0x1008, 4), 10);
    assert_int_equal(edge(&fixture, 0x1008, 0x1100, EDGE_TAKEN), 9);
    assert_int_equal(edge(&fixture, 0x1008, 0x100a, EDGE_FALL), 1);
    close_fixture(&fixture);
}

/* A handler came before the first instruction of the callee, and once before the head's second
 * segment: coming back from it is no second arrival. */
static void a_handler_at_the_start_is_no_arrival(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture);
    fake_loop(&fixture.code.fake, 0, 0);
    const struct wire_segment rest = {.start = 0x100a,
                                      .target = 0x2000,
                                      .bytes = 8,
                                      .instructions = 3,
                                      .end = SEGMENT_CALL,
                                      .last_bytes = 5};
    fake_superblock(&fixture.code.fake, 4, 7, 1, &rest); /* where it goes on behind the handler */
    fake_cut(&fixture.code.fake, 2, 0, 0);
    fake_cut(&fixture.code.fake, 0, 1, 0);
    set_loop(&fixture, 0, 11, 1, 11, 10); /* the callee entered once more than called */
    fake_counters(&fixture.code.fake)[7] = 1;
    fixture.code.fake.channel->counters = 9;
    read_all(&fixture, true);
    assert_int_equal(range(&fixture, 0x2000, 0x200b, 5), 10);
    assert_int_equal(edge(&fixture, 0x100d, 0x2000, EDGE_CALL), 10);
    assert_int_equal(edge(&fixture, 0, 0x2000, EDGE_RETURN), 0);
    assert_int_equal(edge(&fixture, 0, 0x100a, EDGE_RETURN), 0);
    assert_int_equal(range(&fixture, 0x100a, 0x100d, 3), 10);
    close_fixture(&fixture);
}

/* The same, but the handler at the callee never came back: the callee was also returned to, and
 * that is not taken for the arrival that was in vain. */
static void an_abandoned_arrival_explains_nothing(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture);
    fake_loop(&fixture.code.fake, 0, 0);
    fake_cut(&fixture.code.fake, 2, 0, 0);
    fake_abandoned(&fixture.code.fake, 0x2000);
    set_loop(&fixture, 0, 11, 1, 13, 12); /* called ten times, entered thirteen times */
    read_all(&fixture, true);
    assert_int_equal(edge(&fixture, 0x100d, 0x2000, EDGE_CALL), 10);
    assert_int_equal(edge(&fixture, 0, 0x2000, EDGE_RETURN), 3);
    assert_int_equal(range(&fixture, 0x2000, 0x200b, 5), 12);
    close_fixture(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_by_hand),
        cmocka_unit_test(readings_in_between_do_not_change_the_end),
        cmocka_unit_test(superblocks_of_one_place_add_up),
        cmocka_unit_test(pairs_are_no_returns),
        cmocka_unit_test(counters_out_of_bounds_count_nothing),
        cmocka_unit_test(a_cut_counts_what_ran),
        cmocka_unit_test(what_is_cut_later_was_not_given_out),
        cmocka_unit_test(a_superblock_of_half_read_counters_waits),
        cmocka_unit_test(a_handler_at_the_start_is_no_arrival),
        cmocka_unit_test(an_abandoned_arrival_explains_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
