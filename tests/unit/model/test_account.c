/* Time shared out cycle by cycle, by who looks at all times of all instructions, against the
 * account that was made as they came. */
#include "model/replay/account.h"

#include "own_code.h"

enum { STEPS = 20000, IDS = 16 };

struct seen {
    struct replay_listener listener;
    uint32_t n, id[STEPS];
    uint64_t fetch[STEPS], dispatch[STEPS], issue[STEPS], complete[STEPS], retire[STEPS];
    bool mispredicted[STEPS], aborted[STEPS], rides[STEPS];
};

static void see(struct replay_listener *listener, const struct replay_step *step)
{
    struct seen *seen = (struct seen *)listener;
    assert_true(seen->n < STEPS);
    seen->id[seen->n] = step->insn->id;
    seen->fetch[seen->n] = step->times->fetch;
    seen->dispatch[seen->n] = step->times->dispatch;
    seen->issue[seen->n] = step->times->load_issue ? step->times->load_issue : step->times->issue;
    seen->complete[seen->n] = step->times->complete;
    seen->retire[seen->n] = step->times->retire;
    seen->aborted[seen->n] = step->aborted;
    seen->rides[seen->n] = step->times->rides;
    seen->mispredicted[seen->n++] = step->times->events & CORE_MISPREDICT;
}

static uint64_t chance(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Branches and addresses by chance; half of the time all hit, so that wrong guesses are not hidden
 * behind misses. */
static void run_by_chance(struct fixture *fixture, uint32_t times, uint64_t seed)
{
    uint32_t first = code_run(&fixture->code, 3, fixture->loop, LOOP_BYTES, LOOP_INSTRUCTIONS);
    uint64_t loop = replay_at(3, fixture->loop);
    for (uint32_t i = 0; i < times; i++) {
        struct replay_data data[LOOP_INSTRUCTIONS] = {{0}};
        if (i % 200 < 100)
            data[POINTER].address = 0x7f0000000000 + chance(&seed) % (1 << 22) * 64;
        uint64_t next = chance(&seed) % 3 ? loop : loop + LOOP_BYTES;
        replay_run(&fixture->replay, first, LOOP_INSTRUCTIONS, next, data);
    }
}

static void oracle(const struct seen *seen, uint64_t units[IDS][ACCOUNT_STATES])
{
    uint32_t i = 0;
    for (uint64_t cycle = 1; cycle <= seen->retire[seen->n - 1]; cycle++) {
        uint32_t n = 0;
        while (i + n < seen->n && seen->retire[i + n] == cycle)
            n++;
        for (uint32_t k = 0; k < n; k++)
            units[seen->id[i + k]][ACCOUNT_RETIRES] += ACCOUNT_UNIT / n;
        if (!n && seen->dispatch[i] <= cycle)
            units[seen->id[i]][ACCOUNT_STALLS] += ACCOUNT_UNIT;
        else if (!n && i && seen->mispredicted[i - 1])
            units[seen->id[i - 1]][ACCOUNT_FLUSHES] += ACCOUNT_UNIT;
        else if (!n)
            units[seen->id[i]][ACCOUNT_DRAINED] += ACCOUNT_UNIT;
        i += n;
    }
}

/* A replay that somebody keeps an account of; what it saw is kept, too, if wanted. */
struct accounted {
    struct fixture fixture;
    struct account account;
    struct account_listener *listener;
};

static void accounted_begin(struct accounted *of, struct seen *seen)
{
    fixture_begin(&of->fixture);
    account_init(&of->account);
    of->listener = account_listen(&of->account, &of->fixture.replay);
    if (!seen)
        return;
    *seen = (struct seen){.listener = {see, NULL}};
    replay_listen(&of->fixture.replay, &seen->listener);
}

static void accounted_end(struct accounted *of)
{
    account_listener_free(of->listener);
    account_release(&of->account);
    fixture_end(&of->fixture);
}

static void time_is_shared_out_exactly(void **state)
{
    static struct seen seen;
    struct accounted of;
    uint64_t units[IDS][ACCOUNT_STATES] = {{0}};
    (void)state;
    accounted_begin(&of, &seen);
    run_by_chance(&of.fixture, 2000, 1);
    account_settle(of.listener);
    oracle(&seen, units);
    bool states[ACCOUNT_STATES] = {false};
    for (uint32_t id = 0; id < LOOP_INSTRUCTIONS; id++)
        for (int s = 0; s < ACCOUNT_STATES; s++) {
            assert_int_equal(of.account.rows.at[id].units[s], units[id][s]);
            states[s] = states[s] || units[id][s];
        }
    assert_true(states[0] && states[1] && states[2] && states[3]);
    assert_int_equal(of.account.cycles, of.fixture.replay.cycles);
    assert_true(account_sum(&of.account) == (u128)of.fixture.replay.cycles * ACCOUNT_UNIT);
    accounted_end(&of);
}

/* By counting, for each instruction that was done, who else was issued while it was under way, took
 * a slot and retired. */
static void slots_are_counted(void **state)
{
    static struct seen seen;
    struct accounted of;
    (void)state;
    accounted_begin(&of, &seen);
    of.fixture.replay.wrong_ways = true;
    run_by_chance(&of.fixture, 300, 2);
    account_settle(of.listener);
    uint64_t span = 0, used = 0, near = 0, aborted = 0, rode = 0, told[3] = {0};
    for (uint32_t i = 0; i < seen.n; i++) {
        if (!seen.complete[i])
            continue;
        span += seen.complete[i] - seen.fetch[i];
        aborted += seen.aborted[i];
        rode += seen.rides[i];
        for (uint32_t k = 0; k < seen.n; k++) {
            if (seen.aborted[k])
                continue;
            used += k != i && !seen.rides[k] && seen.issue[k] >= seen.fetch[i] &&
                    seen.issue[k] < seen.complete[i];
            near += !seen.aborted[i] && seen.issue[k] + ACCOUNT_NEAR / 2 >= seen.issue[i] &&
                    seen.issue[k] < seen.issue[i] + ACCOUNT_NEAR / 2;
        }
    }
    for (size_t i = 0; i < of.account.rows.n; i++) {
        told[0] += of.account.rows.at[i].slots[0].span + of.account.rows.at[i].slots[1].span;
        told[1] += of.account.rows.at[i].slots[0].used + of.account.rows.at[i].slots[1].used;
        told[2] += of.account.rows.at[i].nearby;
    }
    assert_int_equal(of.account.clipped, 0);
    assert_true(aborted > 100 && rode > 100);
    assert_int_equal(told[0], span);
    assert_int_equal(told[1], used);
    assert_int_equal(told[2], near);
    accounted_end(&of);
}

/* Never called: it is only read. Each load's address is what the one before it loaded. */
void chase_code(void);
__asm__(".text\n"
        ".globl chase_code\n"
        "chase_code:\n"
        "  mov (%rax), %rax\n" /* 3 */
        "  sub $1, %edi\n"     /* 3 */
        "  jne chase_code\n"   /* 2, with it as one */
        "  ret\n");
enum { CHASE_INSTRUCTIONS = 3, CHASE_BYTES = 8 };

/* Loads that wait for each other and all miss: a hundred of them are under way, some 200 cycles
 * each, so that each is under way for longer than any number of cycles that one would set aside in
 * advance. What it wastes is the latency times the width, less the few that are issued meanwhile.
 */
static void what_takes_long_is_counted_whole(void **state)
{
    static struct seen seen;
    struct accounted of;
    uint64_t span = 0, used = 0, longest = 0, told[3] = {0}, seed = 5;
    (void)state;
    accounted_begin(&of, &seen);
    struct svma at = {of.fixture.loop.v + (uint64_t)(uintptr_t)chase_code -
                      (uint64_t)(uintptr_t)loop_code};
    uint32_t first = code_run(&of.fixture.code, 3, at, CHASE_BYTES, CHASE_INSTRUCTIONS);
    assert_int_not_equal(first, REPLAY_NONE);
    for (int i = 0; i < 1000; i++) {
        struct replay_data data[CHASE_INSTRUCTIONS] = {
            {.address = 0x7f0000000000 + chance(&seed) % (1 << 24) * 64}};
        replay_run(&of.fixture.replay, first, CHASE_INSTRUCTIONS, replay_at(3, at), data);
    }
    account_settle(of.listener);
    for (uint32_t i = 0; i < seen.n; i++) {
        uint64_t took = seen.complete[i] - seen.fetch[i];
        span += took;
        longest = took > longest ? took : longest;
        for (uint32_t k = 0; k < seen.n; k++)
            used += k != i && !seen.rides[k] && seen.issue[k] >= seen.fetch[i] &&
                    seen.issue[k] < seen.complete[i];
    }
    for (size_t i = 0; i < of.account.rows.n; i++)
        for (int missed = 0; missed < 2; missed++) {
            told[0] += of.account.rows.at[i].slots[missed].span;
            told[1] += of.account.rows.at[i].slots[missed].used;
            told[2] += of.account.rows.at[i].slots[missed].n;
        }
    assert_true(longest > 10000);
    assert_int_equal(told[2], 1000 * CHASE_INSTRUCTIONS);
    assert_int_equal(told[0], span);
    assert_int_equal(told[1], used);
    assert_int_equal(of.account.clipped, 0);
    accounted_end(&of);
}

/* What warms takes no time, and what lies between two windows is nobody's. */
static void windows_add_up(void **state)
{
    struct accounted of;
    (void)state;
    accounted_begin(&of, NULL);
    uint64_t whole = 0;
    for (uint64_t i = 0; i < 20; i++) {
        replay_gap(&of.fixture.replay, 100);
        run_by_chance(&of.fixture, 100, i);
        account_settle(of.listener);
        assert_true(account_sum(&of.account) == (u128)of.account.cycles * ACCOUNT_UNIT);
        assert_int_equal(of.account.instructions, 100 * LOOP_INSTRUCTIONS - 100);
        whole += of.account.cycles;
        account_clear(&of.account);
        assert_true(account_sum(&of.account) == 0);
    }
    assert_true(whole > 0 && whole < of.fixture.replay.cycles);
    accounted_end(&of);
}

/* The load through a pointer waits for the load of the pointer. */
static void producers_are_named(void **state)
{
    struct accounted of;
    (void)state;
    accounted_begin(&of, NULL);
    run_by_chance(&of.fixture, 500, 3);
    account_settle(of.listener);
    const struct account_row *row = &of.account.rows.at[POINTER];
    assert_int_equal(row->producers[0].id, LOAD);
    assert_true(row->waits > 0 && row->producers[0].cycles >= row->waits);
    accounted_end(&of);
}

/* Misses of many kinds come first; then, and for longer, loads that cannot be forwarded: those must
 * have a name. */
static void what_goes_on_is_kept_apart(void **state)
{
    struct accounted of;
    uint64_t named = 0, sum = 0;
    (void)state;
    accounted_begin(&of, NULL);
    uint32_t first = code_run(&of.fixture.code, 3, of.fixture.loop, LOOP_BYTES, LOOP_INSTRUCTIONS);
    run_by_chance(&of.fixture, 1000, 5);
    for (uint32_t i = 0; i < 40000; i++) {
        struct replay_data data[LOOP_INSTRUCTIONS] = {{0}};
        data[POINTER].address = 0x10004;
        data[POINTER + 1].address = 0x10000;
        replay_run(&of.fixture.replay, first, LOOP_INSTRUCTIONS, replay_at(3, of.fixture.loop),
                   data);
    }
    account_settle(of.listener);
    const struct account_row *row = &of.account.rows.at[POINTER];
    for (int i = 0; i < ACCOUNT_SIGNATURES; i++) {
        const struct account_signature *at = &row->signatures[i];
        sum += at->units;
        if (at->state == ACCOUNT_STALLS && at->events == CORE_FORWARD_FAIL)
            named += at->units;
    }
    assert_int_equal(sum, account_row_units(row));
    assert_true(named > sum / 2);
    accounted_end(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_is_shared_out_exactly),
        cmocka_unit_test(slots_are_counted),
        cmocka_unit_test(what_takes_long_is_counted_whole),
        cmocka_unit_test(windows_add_up),
        cmocka_unit_test(producers_are_named),
        cmocka_unit_test(what_goes_on_is_kept_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
