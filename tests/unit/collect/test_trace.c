#include "collect/exact/trace.h"

#include "base/err.h"
#include "consumers/exact.h"
#include "collect/channel/share.h"
#include "consumers/trace_check.h"
#include "consumers/trace_count.h"
#include "../process/fake.h"
#include "profile/profile.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { INDEX = 2 };

struct fixture {
    struct share share;
    struct fake fake;
    struct profile profile;
    struct mappings mappings;
    struct units units;
    struct trace trace;
    struct trace_count count;
    struct trace_check check;
};

static void units_open(struct fixture *fixture)
{
    profile_init(&fixture->profile);
    fixture->profile.mode = PROFILE_EXACT;
    mappings_init(&fixture->mappings, &fixture->profile, getpid());
    struct wire_map map = {.start = 0x1000, .end = 0x1000000, .offset = 0x1000};
    mappings_add(&fixture->mappings, &map, "/no/module");
    units_init(&fixture->units, &fixture->mappings);
}

static void units_close(struct fixture *fixture)
{
    units_release(&fixture->units);
    mappings_release(&fixture->mappings);
    profile_release(&fixture->profile);
}

static void open_fixture(struct fixture *fixture)
{
    struct err err;
    struct record_options options = {.mode = RECORD_EXACT_TRACE};
    *fixture = (struct fixture){0};
    assert_true(share_create(&fixture->share, &options, &err));
    fixture->fake.channel = share_map(&fixture->share, INDEX);
    assert_non_null(fixture->fake.channel);
    units_open(fixture);
    fixture->units.numbers = true;
    trace_init(&fixture->trace, &fixture->share, INDEX, fixture->fake.channel, &fixture->units);
    trace_count_init(&fixture->count, &fixture->units);
    trace_check_init(&fixture->check, &fixture->units);
    fixture->trace.consumers[0] = &fixture->count.consumer;
    fixture->trace.consumers[1] = &fixture->check.consumer;
    fixture->trace.n_consumers = 2;
}

static void close_fixture(struct fixture *fixture)
{
    trace_check_release(&fixture->check);
    trace_count_release(&fixture->count);
    trace_release(&fixture->trace);
    units_close(fixture);
    share_unmap(fixture->fake.channel);
    share_release(&fixture->share);
}

static void read_units(struct fixture *fixture, const struct fake *fake)
{
    units_read(&fixture->units, fake_section(fake, CHANNEL_UNITS_AT), fake->channel->units_bytes);
    assert_int_equal(fixture->units.garbled, 0);
}

/* ---- a program: superblocks of two conditional segments, and an end of every kind */

enum { BLOCKS = 40, IDS = 4 };

static uint64_t block_start(uint32_t block)
{
    return 0x10000 + block * 27;
}

static uint8_t block_end(uint32_t block)
{
    static const uint8_t ends[] = {SEGMENT_JUMP,   SEGMENT_CALL,  SEGMENT_IJUMP,
                                   SEGMENT_RETURN, SEGMENT_ICALL, SEGMENT_COND};
    return ends[block % 6];
}

/* Where exit j of a block goes; BLOCKS: anywhere. */
static uint32_t goes_to(uint32_t block, uint32_t j)
{
    uint8_t end = block_end(block);
    bool indirect = end == SEGMENT_IJUMP || end == SEGMENT_ICALL || end == SEGMENT_RETURN;
    if (j == 2 && indirect)
        return BLOCKS;
    return j == 3 ? block + 1 : (block * 7 + j * 11 + 3) % BLOCKS;
}

/* No exit has the id 0. */
static uint32_t id_of(uint32_t block, uint32_t j)
{
    return 1 + block * IDS + j;
}

static void add_program(struct fake *fake)
{
    for (uint32_t b = 0; b < BLOCKS; b++) {
        struct wire_segment segments[3];
        for (uint32_t j = 0; j < 3; j++) {
            uint32_t to = goes_to(b, j);
            segments[j] = (struct wire_segment){.start = block_start(b) + j * 9,
                                                .target = to == BLOCKS ? 0 : block_start(to),
                                                .bytes = 9,
                                                .instructions = 3,
                                                .end = j < 2 ? SEGMENT_COND : block_end(b),
                                                .last_bytes = 3};
        }
        fake_superblock(fake, id_of(b, 0), b * IDS, 3, segments);
    }
}

/* A thread at work. */
struct stroll {
    uint64_t random;
    uint32_t block;
    uint32_t last_exit;
};

static uint32_t step(struct stroll *stroll)
{
    uint32_t block = stroll->block, ways = block_end(block) == SEGMENT_COND ? 4 : 3;
    uint32_t j = (uint32_t)(fake_random(&stroll->random) % ways), to = goes_to(block, j);
    stroll->block = to < BLOCKS ? to : (uint32_t)(fake_random(&stroll->random) % BLOCKS);
    stroll->last_exit = id_of(block, j);
    return stroll->last_exit;
}

/* ---- what --exact=counts would have counted of it */

struct reference {
    struct fixture fixture;
    uint64_t counters[BLOCKS * IDS + BLOCKS * BLOCKS];
};

static void refer_to(struct reference *reference, const struct stroll *stroll)
{
    uint32_t block = (stroll->last_exit - 1) / IDS, j = (stroll->last_exit - 1) % IDS;
    uint8_t end = j < 2 ? SEGMENT_COND : block_end(block);
    reference->counters[block * IDS]++;
    if (j < 3 && end == SEGMENT_COND)
        reference->counters[block * IDS + 1 + j]++;
    if (j == 2 && (end == SEGMENT_IJUMP || end == SEGMENT_ICALL))
        reference->counters[BLOCKS * IDS + block * BLOCKS + stroll->block]++;
}

static void reference_open(struct reference *reference)
{
    *reference = (struct reference){0};
    fake_open(&reference->fixture.fake);
    units_open(&reference->fixture);
    add_program(&reference->fixture.fake);
    for (uint32_t b = 0; b < BLOCKS; b++)
        for (uint32_t to = 0; to < BLOCKS; to++)
            if (block_end(b) == SEGMENT_IJUMP || block_end(b) == SEGMENT_ICALL)
                fake_pair(&reference->fixture.fake, id_of(b, 2), BLOCKS * IDS + b * BLOCKS + to,
                          block_start(to));
    read_units(&reference->fixture, &reference->fixture.fake);
}

static void reference_close(struct reference *reference)
{
    units_close(&reference->fixture);
    fake_close(&reference->fixture.fake);
}

static void assert_tables_equal(const struct table *a, const struct table *b)
{
    assert_int_equal(a->n, b->n);
    for (uint32_t i = 0; i < a->n; i++) {
        const struct sums *other = table_find(b, map_key(&a->keys, i));
        assert_non_null(other);
        assert_int_equal(a->at[i].count, other->count);
    }
}

/* As the profile of both would be. */
static void assert_same_profile(struct fixture *fixture, struct reference *reference)
{
    struct exact traced, counted;
    exact_init(&traced, &fixture->units, &fixture->profile);
    exact_init(&counted, &reference->fixture.units, &reference->fixture.profile);
    struct exact_reading reading = trace_count_reading(&fixture->count, false);
    exact_read(&traced, &reading); /* one in between changes nothing */
    reading = trace_count_reading(&fixture->count, true);
    exact_read(&traced, &reading);
    exact_read(&counted, &(struct exact_reading){.counters = reference->counters,
                                                 .n = sizeof reference->counters / sizeof(uint64_t),
                                                 .last = true});
    assert_int_equal(traced.instructions, counted.instructions);
    assert_tables_equal(&fixture->profile.ranges, &reference->fixture.profile.ranges);
    assert_tables_equal(&fixture->profile.edges, &reference->fixture.profile.edges);
    exact_release(&traced);
    exact_release(&counted);
}

/* ---- a thread that is traced */

struct writer {
    struct wire_trace *shared;
    uint64_t waited;
};

static struct writer writer_open(struct fixture *fixture, uint32_t slot, int32_t tid)
{
    struct channel *channel = fixture->fake.channel;
    struct writer writer = {.shared = share_map_bank(&fixture->share, INDEX, slot)};
    assert_non_null(writer.shared);
    __atomic_store_n(&writer.shared->tid, tid, __ATOMIC_RELEASE);
    __atomic_store_n(&writer.shared->closed, 0, __ATOMIC_RELEASE);
    if (channel->n_threads <= slot)
        __atomic_store_n(&channel->n_threads, slot + 1, __ATOMIC_RELEASE);
    return writer;
}

static void writer_close(struct writer *writer)
{
    __atomic_store_n(&writer->shared->closed, 1, __ATOMIC_RELEASE);
    share_unmap_bank(writer->shared);
}

static bool writer_has(const struct writer *writer, uint32_t bytes)
{
    return writer->shared->head + bytes -
               __atomic_load_n(&writer->shared->tail, __ATOMIC_ACQUIRE) <=
           TRACE_BYTES;
}

static void writer_wait(struct writer *writer, uint32_t bytes)
{
    struct wire_trace *shared = writer->shared;
    while (!writer_has(writer, bytes)) {
        uint32_t word = __atomic_load_n(&shared->tail_word, __ATOMIC_SEQ_CST);
        __atomic_store_n(&shared->waiting, 1, __ATOMIC_SEQ_CST);
        if (!writer_has(writer, bytes))
            syscall(SYS_futex, &shared->tail_word, FUTEX_WAIT, word, NULL, NULL, 0);
        __atomic_store_n(&shared->waiting, 0, __ATOMIC_SEQ_CST);
        writer->waited++;
    }
}

static void writer_put(struct writer *writer, const void *entry, uint32_t bytes)
{
    struct wire_trace *shared = writer->shared;
    uint64_t at = shared->head & (TRACE_BYTES - 1), behind = TRACE_BYTES - at;
    unsigned char *ring = (unsigned char *)shared + TRACE_HEADER_BYTES;
    if (behind < bytes) {
        uint32_t pad[2] = {EVENT_PAD, (uint32_t)behind};
        writer_wait(writer, (uint32_t)behind);
        memcpy(ring + at, pad, sizeof pad);
        __atomic_store_n(&shared->head, shared->head + behind, __ATOMIC_RELEASE);
        at = 0;
    }
    writer_wait(writer, bytes);
    memcpy(ring + at, entry, bytes);
    __atomic_store_n(&shared->head, shared->head + bytes, __ATOMIC_RELEASE);
}

enum { CHUNK_MOST = 3000 };

/* Some of the stroll's exits, as one entry. */
static void writer_stroll(struct writer *writer, struct stroll *stroll, uint32_t n,
                          struct reference *reference)
{
    struct {
        struct event_trace event;
        uint32_t exits[CHUNK_MOST + 1];
    } entry;
    entry.event = (struct event_trace){
        .kind = EVENT_TRACE, .start_pc = block_start(stroll->block), .n_exits = n, .stop = LOSS_N};
    for (uint32_t i = 0; i < n; i++) {
        entry.exits[i] = step(stroll);
        if (reference)
            refer_to(reference, stroll);
    }
    entry.event.end_pc = block_start(stroll->block);
    entry.event.bytes = (uint32_t)(sizeof entry.event + n * sizeof *entry.exits + 7) & ~7u;
    writer_put(writer, &entry, entry.event.bytes);
}

static uint64_t read_all(struct fixture *fixture)
{
    return trace_look(&fixture->trace) ? trace_read(&fixture->trace, UINT64_MAX) : 0;
}

/* ---- tests */

struct job {
    struct fixture *fixture;
    struct reference reference;
    uint32_t slot, chunks;
    uint64_t waited;
    uint32_t done;
};

static void *work(void *argument)
{
    struct job *job = argument;
    struct stroll stroll = {.random = 88172645463325252u + job->slot, .block = job->slot};
    struct writer writer = writer_open(job->fixture, job->slot, 100 + (int32_t)job->slot);
    for (uint32_t i = 0; i < job->chunks; i++)
        writer_stroll(&writer, &stroll, 1 + (uint32_t)(fake_random(&stroll.random) % CHUNK_MOST),
                      &job->reference);
    job->waited = writer.waited;
    writer_close(&writer);
    __atomic_store_n(&job->done, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void await_full(struct fixture *fixture, uint32_t slot)
{
    struct wire_trace *shared = share_map_bank(&fixture->share, INDEX, slot);
    while (!__atomic_load_n(&shared->waiting, __ATOMIC_ACQUIRE))
        usleep(1000);
    share_unmap_bank(shared);
}

/* Two threads that write all the time, a reader that is slow at first: they wait for it. */
static void traces_count_as_counters_do(void **state)
{
    (void)state;
    static struct fixture fixture;
    static struct job jobs[2];
    static struct reference sum;
    open_fixture(&fixture);
    reference_open(&sum);
    add_program(&fixture.fake);
    read_units(&fixture, &fixture.fake);
    pthread_t threads[2];
    for (uint32_t i = 0; i < 2; i++) {
        jobs[i] = (struct job){.fixture = &fixture, .slot = i * 3, .chunks = 1500};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    }
    for (uint32_t i = 0; i < 2; i++)
        await_full(&fixture, jobs[i].slot);
    bool done;
    do {
        done = __atomic_load_n(&jobs[0].done, __ATOMIC_ACQUIRE) &
               __atomic_load_n(&jobs[1].done, __ATOMIC_ACQUIRE);
    } while (read_all(&fixture) || !done);
    for (uint32_t i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        assert_true(jobs[i].waited > 0);
        for (size_t c = 0; c < sizeof sum.counters / sizeof(uint64_t); c++)
            sum.counters[c] += jobs[i].reference.counters[c];
    }
    assert_int_equal(fixture.trace.garbled, 0);
    assert_int_equal(fixture.check.verdict.astray, 0);
    assert_int_equal(fixture.check.verdict.threads, 2);
    assert_int_equal(fixture.check.verdict.breaks, 2); /* the beginnings */
    assert_int_equal(fixture.check.verdict.exits, fixture.count.passed);
    assert_same_profile(&fixture, &sum);
    reference_close(&sum);
    close_fixture(&fixture);
}

/* With no time at all it is an entry at a time, and every ring has its turn; what is published when
 * all is over is not read, nor counted as left. */
static void time_is_kept(void **state)
{
    (void)state;
    static struct fixture fixture;
    enum { RINGS = 3, ENTRIES = 4 };
    struct writer writers[RINGS];
    struct stroll strolls[RINGS];
    open_fixture(&fixture);
    add_program(&fixture.fake);
    read_units(&fixture, &fixture.fake);
    for (uint32_t i = 0; i < RINGS; i++) {
        writers[i] = writer_open(&fixture, i, 20 + (int32_t)i);
        strolls[i] = (struct stroll){.random = 5 + i, .block = i};
        for (uint32_t k = 0; k < ENTRIES; k++)
            writer_stroll(&writers[i], &strolls[i], 100, NULL);
    }
    trace_over(&fixture.trace);
    writer_stroll(&writers[1], &strolls[1], 100, NULL);
    uint64_t left = trace_left(&fixture.trace);
    for (uint32_t k = 0; k < RINGS * ENTRIES; k++) {
        assert_true(trace_look(&fixture.trace));
        assert_int_equal(fixture.check.verdict.exits, 100 * k);
        assert_int_equal(fixture.check.verdict.threads, k < RINGS ? k : RINGS);
        left -= trace_read(&fixture.trace, 0);
        assert_int_equal(trace_left(&fixture.trace), left);
    }
    assert_int_equal(left, 0);
    assert_false(trace_look(&fixture.trace));
    for (uint32_t i = 0; i < RINGS; i++)
        writer_close(&writers[i]);
    close_fixture(&fixture);
}

/* A superblock that a signal or fault left in its middle has no exit. */
static void cuts_are_counted(void **state)
{
    (void)state;
    static struct fixture fixture;
    static struct reference reference;
    open_fixture(&fixture);
    reference_open(&reference);
    add_program(&fixture.fake);
    read_units(&fixture, &fixture.fake);
    struct writer writer = writer_open(&fixture, 0, 7);
    struct stroll stroll = {.random = 1, .block = 3};
    writer_stroll(&writer, &stroll, 100, &reference);
    fake_cut(&fixture.fake, id_of(stroll.block, 0), 1, 0);
    fake_cut(&reference.fixture.fake, id_of(stroll.block, 0), 1, 0);
    reference.counters[stroll.block * IDS]++;
    stroll.block = 9;
    writer_stroll(&writer, &stroll, 100, &reference);
    read_units(&fixture, &fixture.fake);
    read_units(&reference.fixture, &reference.fixture.fake);
    read_all(&fixture);
    assert_int_equal(fixture.check.verdict.astray, 0);
    assert_int_equal(fixture.check.verdict.breaks, 2);
    assert_same_profile(&fixture, &reference);
    writer_close(&writer);
    reference_close(&reference);
    close_fixture(&fixture);
}

static void threads_follow_each_other_in_a_slot(void **state)
{
    (void)state;
    static struct fixture fixture;
    open_fixture(&fixture);
    add_program(&fixture.fake);
    read_units(&fixture, &fixture.fake);
    for (int32_t i = 0; i < 5; i++) {
        struct stroll stroll = {.random = 5, .block = (uint32_t)i};
        struct writer writer = writer_open(&fixture, 0, 10 + i);
        writer_stroll(&writer, &stroll, 10, NULL);
        read_all(&fixture);
        writer_stroll(&writer, &stroll, 10, NULL);
        if (i % 2) /* the end may be seen, or only the one that follows */
            writer_close(&writer);
        read_all(&fixture);
        if (i % 2 == 0)
            share_unmap_bank(writer.shared);
        assert_int_equal(fixture.trace.rings[0].open, i % 2 == 0);
    }
    trace_end(&fixture.trace);
    assert_false(fixture.trace.rings[0].open);
    assert_int_equal(fixture.check.verdict.threads, 5);
    assert_int_equal(fixture.check.verdict.breaks, 5);
    assert_int_equal(fixture.check.verdict.astray, 0);
    assert_int_equal(fixture.trace.garbled, 0);
    close_fixture(&fixture);
}

static void what_cannot_follow_is_found(void **state)
{
    (void)state;
    const struct {
        uint32_t exits[3];
        uint32_t start, end; /* blocks */
        uint64_t astray;
    } cases[] = {
        {{1 /* 0:0 */, 15 /* 3:2 */, 24 /* 5:3 */}, 0, 6, 0},
        {{1 /* 0:0 */, 15 /* 3:2 */, 24 /* 5:3 */}, 1, 6, 1}, /* begins elsewhere */
        {{1 /* 0:0 */, 19 /* 4:2 */, 24 /* 5:3 */}, 0, 6, 1}, /* a branch that arrives elsewhere */
        {{1 /* 0:0 */, 15 /* 3:2 */, 24 /* 5:3 */}, 0, 7, 1}, /* ends elsewhere */
        {{1 /* 0:0 */, 16 /* 3:3 */, 24 /* 5:3 */}, 0, 6, 1}, /* nobody's exit */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static struct fixture fixture;
        open_fixture(&fixture);
        add_program(&fixture.fake);
        read_units(&fixture, &fixture.fake);
        struct writer writer = writer_open(&fixture, 0, 7);
        struct {
            struct event_trace event;
            uint32_t exits[4];
        } entry = {.event = {.kind = EVENT_TRACE,
                             .bytes = sizeof entry,
                             .start_pc = block_start(cases[i].start),
                             .end_pc = block_start(cases[i].end),
                             .n_exits = 3}};
        memcpy(entry.exits, cases[i].exits, sizeof cases[i].exits);
        writer_put(&writer, &entry, sizeof entry);
        read_all(&fixture);
        assert_int_equal(fixture.check.verdict.astray, cases[i].astray);
        assert_int_equal(fixture.trace.garbled, 0);
        writer_close(&writer);
        close_fixture(&fixture);
    }
}

/* Of a ring that makes no sense nothing is read any more, but it never fills. */
static void broken_rings_are_drained(void **state)
{
    (void)state;
    const struct event_trace bad[] = {
        {.kind = EVENT_TRACE, .bytes = 0},
        {.kind = EVENT_TRACE, .bytes = 12},
        {.kind = EVENT_TRACE, .bytes = 16},
        {.kind = EVENT_TRACE, .bytes = sizeof *bad, .n_exits = 1},
        {.kind = EVENT_TRACE, .bytes = sizeof *bad, .n_exits = UINT32_MAX},
        {.kind = EVENT_TRACE, .bytes = 1 << 24},
        {.kind = EVENT_WALK, .bytes = sizeof *bad},
        {.kind = 0, .bytes = sizeof *bad},
        {.kind = EVENT_PAD, .bytes = 1 << 24},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        static struct fixture fixture;
        open_fixture(&fixture);
        add_program(&fixture.fake);
        read_units(&fixture, &fixture.fake);
        struct writer writer = writer_open(&fixture, 0, 7);
        struct stroll stroll = {.random = 1};
        writer_put(&writer, &bad[i], sizeof bad[i]);
        writer_stroll(&writer, &stroll, 10, NULL);
        read_all(&fixture);
        assert_int_equal(fixture.trace.garbled, 1);
        writer_stroll(&writer, &stroll, 10, NULL);
        read_all(&fixture);
        assert_int_equal(fixture.trace.garbled, 1);
        assert_int_equal(fixture.count.passed, 0);
        assert_int_equal(writer.shared->tail, writer.shared->head);
        writer_close(&writer);
        close_fixture(&fixture);
    }
}

static void heads_and_ids_that_cannot_be(void **state)
{
    (void)state;
    static struct fixture fixture;
    open_fixture(&fixture);
    add_program(&fixture.fake);
    read_units(&fixture, &fixture.fake);
    struct writer writer = writer_open(&fixture, 0, 7);
    struct {
        struct event_trace event;
        uint32_t exits[2];
    } entry = {.event = {.kind = EVENT_TRACE, .bytes = sizeof entry, .n_exits = 2},
               .exits = {0, UINT32_MAX}};
    writer_put(&writer, &entry, sizeof entry);
    read_all(&fixture);
    assert_int_equal(fixture.trace.garbled, 1);
    assert_int_equal(fixture.count.passed, 0);
    writer.shared->head = UINT64_MAX / 2;
    read_all(&fixture);
    assert_int_equal(fixture.trace.garbled, 2);
    writer.shared->head = 8;
    read_all(&fixture);
    fixture.fake.channel->n_threads = UINT64_MAX;
    read_all(&fixture);
    writer_close(&writer);
    close_fixture(&fixture);
}

/* A process that dies leaves what its threads did not live to hand over. */
static void what_was_not_handed_over_is_found(void **state)
{
    (void)state;
    static struct fixture fixture;
    static struct reference reference;
    for (int round = 0; round < 4; round++) {
        open_fixture(&fixture);
        reference_open(&reference);
        add_program(&fixture.fake);
        read_units(&fixture, &fixture.fake);
        struct writer writer = writer_open(&fixture, 1, 7);
        struct stroll stroll = {.random = 5, .block = 2};
        if (round != 1)
            writer_stroll(&writer, &stroll, 100, &reference);
        uint32_t *records = (uint32_t *)(void *)((unsigned char *)writer.shared + TRACE_RECORDS_AT);
        writer.shared->fresh =
            writer.shared->head - (round == 2 ? 8 : 0); /* 2: they are in the ring */
        writer.shared->fresh_pc = block_start(stroll.block);
        uint32_t n = round == 3 ? TRACE_RECORDS : 50;
        for (uint32_t i = 0; i < n; i++) {
            records[i] = step(&stroll);
            if (round != 2)
                refer_to(&reference, &stroll);
        }
        while (round != 2 &&
               goes_to((stroll.last_exit - 1) / IDS, (stroll.last_exit - 1) % IDS) == BLOCKS &&
               n < TRACE_RECORDS) { /* where the last one went would not be known */
            records[n++] = step(&stroll);
            refer_to(&reference, &stroll);
        }
        read_all(&fixture);
        trace_end(&fixture.trace);
        assert_int_equal(fixture.check.verdict.astray, 0);
        assert_int_equal(fixture.check.verdict.threads, 1);
        assert_int_equal(fixture.check.verdict.breaks, 1);
        if (round < 3)
            assert_same_profile(&fixture, &reference);
        else
            assert_int_equal(fixture.count.passed, 100 + TRACE_RECORDS);
        share_unmap_bank(writer.shared);
        reference_close(&reference);
        close_fixture(&fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces_count_as_counters_do),
        cmocka_unit_test(time_is_kept),
        cmocka_unit_test(cuts_are_counted),
        cmocka_unit_test(threads_follow_each_other_in_a_slot),
        cmocka_unit_test(what_was_not_handed_over_is_found),
        cmocka_unit_test(what_cannot_follow_is_found),
        cmocka_unit_test(broken_rings_are_drained),
        cmocka_unit_test(heads_and_ids_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
