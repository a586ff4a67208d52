/* Profiles for tests: random ones of every shape, and questions about them. */
#pragma once

#include "base/err.h"
#include "profile/file/file.h"
#include "records/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint64_t some_state = 1;

static inline uint64_t some_bits(void)
{
    some_state += 0x9E3779B97F4A7C15u;
    uint64_t z = some_state;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static inline uint64_t some_below(uint64_t n)
{
    return some_bits() % n;
}

/* Of every magnitude alike, zero included. */
static inline uint64_t some_number(void)
{
    unsigned shift = (unsigned)some_below(65);
    return shift == 64 ? 0 : some_bits() >> shift;
}

static inline u128 some_wide(void)
{
    return (u128)some_number() << 64 * some_below(2) | some_number();
}

/* Sums of profiles that get merged must not reach the maximum by chance. */
static inline struct sums some_sums(bool exact)
{
    struct sums sums = {.count = some_number() >> 8};
    if (exact)
        return sums;
    sums.time = some_number() >> 8;
    sums.time_yy = some_wide() >> 8;
    sums.time_xy = some_wide() >> 8;
    sums.count_yy = some_wide() >> 8;
    sums.count_xy = some_wide() >> 8;
    return sums;
}

static inline uint64_t some_address(void)
{
    return some_below(8) ? 0x401000 + some_below(4000) : some_number();
}

static inline uint32_t some_module(const struct profile *profile)
{
    return (uint32_t)some_below(profile->modules.n);
}

static inline void some_modules(struct profile *profile)
{
    for (uint64_t n = 1 + some_below(6); n; n--) {
        char path[64];
        uint8_t build_id[20];
        for (size_t i = 0; i < sizeof build_id; i++)
            build_id[i] = (uint8_t)(some_below(3) * 17);
        snprintf(path, sizeof path, "/usr/lib/lib%d.so", (int)some_below(5));
        profile_module(profile, path, build_id, (uint32_t)some_below(3) * 10);
    }
}

static inline void some_rows(struct profile *profile, uint64_t rows)
{
    bool exact = profile->mode == PROFILE_EXACT;
    for (uint64_t i = 0; i < rows; i++) {
        struct edge_key edge = {.from_module = some_module(profile),
                                .to_module = some_module(profile),
                                .from = {some_address()},
                                .to = {some_address()},
                                .kind = some_below(EDGE_KINDS)};
        if (edge.kind == EDGE_RETURN)
            edge.from_module = MODULE_NONE, edge.from.v = 0;
        *table_at(&profile->edges, &edge) = some_sums(exact);
        struct range_key range = {.module = some_module(profile),
                                  .instructions = (uint32_t)some_number(),
                                  .start = {some_address()},
                                  .last = {some_address()}};
        *table_at(&profile->ranges, &range) = some_sums(exact);
        struct trip_key trip = {.module = some_module(profile),
                                .how = (uint32_t)some_below(TRIP_HOWS),
                                .head = {some_address()},
                                .n = trip_bin(some_number() | 1)};
        *table_at(&profile->trips, &trip) = some_sums(exact);
        struct path_key path = {.module = some_module(profile),
                                .kind = (uint32_t)some_below(PATH_KINDS),
                                .function = {some_address()},
                                .path = some_number()};
        *table_at(&profile->paths, &path) = some_sums(exact);
    }
}

/* Stacks that share their outer frames, a few deep enough to matter. */
static inline void some_stacks(struct profile *profile, struct stacks *to, uint64_t stacks)
{
    for (uint64_t i = 0; i < stacks; i++) {
        uint64_t thread =
            some_below(4) ? stack_thread(7, 7 + (uint32_t)some_below(3)) : some_bits();
        uint32_t node = stacks_node(to, STACK_NONE, MODULE_NONE, thread);
        uint64_t frames = some_below(some_below(8) ? 12 : 200);
        for (uint64_t f = 0; f < frames; f++)
            node = stacks_node(to, node, some_module(profile),
                               some_below(3) ? 0x401000 + some_below(3) : some_address());
        for (uint64_t n = some_below(5); n; n--)
            stacks_add(to, node, (uint32_t)some_below(STACK_GROUPS), some_number() >> 8);
    }
}

/* Whatever a record can say, alone or in pairs. */
static inline void some_samples(struct profile *profile, uint64_t rows)
{
    for (uint64_t i = 0; i < rows; i++) {
        bool pair = some_below(3) == 0;
        for (int side = 0; side < (pair ? 2 : 1); side++) {
            struct sample *sample = vec_push(&profile->samples);
            for (int f = 0; f < SAMPLE_N; f++)
                if (some_below(3))
                    sample_set(sample, (enum sample_field)f,
                               some_below(2) ? some_below(3) : some_number());
            sample_set(sample, SAMPLE_ORIGIN, some_below(ORIGINS));
            sample_set(sample, SAMPLE_MODULE, some_module(profile));
            sample_set(sample, SAMPLE_TARGET_MODULE, some_module(profile));
            sample_set(sample, SAMPLE_DATA_MODULE, some_module(profile));
            sample_set(sample, SAMPLE_SOURCE, some_below(SOURCES));
            sample_set(sample, SAMPLE_HISTORY_BITS, some_below(65));
            if (pair)
                sample_set(sample, SAMPLE_PAIR, i);
            else
                sample->known &= ~((uint64_t)1 << SAMPLE_PAIR), sample->at[SAMPLE_PAIR] = 0;
        }
    }
}

/* What two appends of one recording say of one start must not differ where a test adds them up in
 * another order. */
static bool some_names_agree;

static inline void some_plain(struct profile *profile, uint64_t rows)
{
    some_stacks(profile, &profile->stacks, rows);
    some_stacks(profile, &profile->waits, rows);
    some_samples(profile, rows);
    for (uint64_t i = 0; i < rows; i++) {
        char text[32];
        snprintf(text, sizeof text, "t%d", (int)some_below(3));
        struct thread_times *thread =
            threads_row(&profile->threads, &profile->arena, (uint32_t)some_below(9),
                        (uint32_t)(some_bits() >> some_below(2) * 30), text);
        thread->user_ns = some_number() >> 8;
        thread->kernel_ns = some_number() >> 8;
        thread->off_ns = some_number() >> 8;
        thread->switches = some_number() >> 8;
        uint64_t start = some_address();
        snprintf(text, sizeof text, "f%d",
                 some_names_agree ? (int)(start % 7) : (int)some_below(3));
        names_add(&profile->names, &profile->arena, some_module(profile), start,
                  some_names_agree ? start % 5 : some_below(64), text);
    }
}

static inline void some_totals(struct totals *totals)
{
    uint64_t *const narrow[] = {&totals->batches,      &totals->windows,   &totals->interrupts,
                                &totals->instructions, &totals->time,      &totals->count,
                                &totals->user_ns,      &totals->kernel_ns, &totals->agent_ns,
                                &totals->user_ticks,   &totals->tool_ns,   &totals->off_ns,
                                &totals->samples,      &totals->sampled_ns};
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++)
        *narrow[i] = some_number() >> 8;
    totals->time_xx = some_wide() >> 8;
    totals->count_xx = some_wide() >> 8;
    for (size_t i = 0; i < LOSS_N; i++)
        totals->losses[i] = some_below(2) ? some_number() >> 8 : 0;
}

static inline void some_profile(struct profile *profile, enum profile_mode mode, uint64_t rows)
{
    static const char *const commands[] = {"lua fib.lua", "python3 -c 'a\nb\\'\n'\\''c'", "b\na",
                                           ""};
    profile_init(profile);
    profile->mode = mode;
    profile->complete = some_below(4) != 0;
    if (some_below(8))
        profile->command = arena_string(&profile->arena, commands[some_below(4)]);
    profile->start_unix_ns = some_number();
    for (uint64_t n = some_below(4); n; n--) {
        char value[32];
        snprintf(value, sizeof value, "%llu", (unsigned long long)some_below(4));
        profile_fact(profile, some_below(2) ? "tool" : "cpu", value);
    }
    some_modules(profile);
    some_rows(profile, rows);
    if (mode == PROFILE_PLAIN)
        some_plain(profile, rows);
    some_totals(&profile->totals);
    if (some_below(2))
        profile_loss(profile, some_below(2) ? "zz_of_tomorrow" : "a_loss", 1 + some_below(9));
}

/* ---- questions */

static inline void assert_same_text(const char *a, const char *b)
{
    assert_int_equal(!a, !b);
    if (a)
        assert_string_equal(a, b);
}

/* The key with a module index of `in` replaced by the index of the same module in `of`. */
static inline uint32_t same_module(const struct profile *of, const struct profile *in,
                                   uint64_t module)
{
    if (module == MODULE_NONE)
        return MODULE_NONE;
    const struct module *wanted = &in->modules.at[module];
    for (uint32_t i = 0; i < of->modules.n; i++) {
        const struct module *found = &of->modules.at[i];
        if (strcmp(found->path, wanted->path) == 0 &&
            found->build_id_bytes == wanted->build_id_bytes &&
            memcmp(found->build_id, wanted->build_id, wanted->build_id_bytes) == 0)
            return i;
    }
    fail_msg("module %s is missing", wanted->path);
    return MODULE_NONE;
}

static inline void assert_same_sums(const struct sums *a, const struct sums *b)
{
    assert_non_null(a);
    assert_non_null(b);
    assert_true(a->time == b->time && a->count == b->count);
    assert_true(a->time_yy == b->time_yy && a->time_xy == b->time_xy);
    assert_true(a->count_yy == b->count_yy && a->count_xy == b->count_xy);
}

static inline void assert_same_tables(const struct profile *a, const struct profile *b)
{
    assert_int_equal(a->edges.n, b->edges.n);
    for (uint32_t i = 0; i < a->edges.n; i++) {
        struct edge_key key = *(const struct edge_key *)map_key(&a->edges.keys, i);
        key.from_module = same_module(b, a, key.from_module);
        key.to_module = same_module(b, a, key.to_module);
        assert_same_sums(&a->edges.at[i], table_find(&b->edges, &key));
    }
    assert_int_equal(a->ranges.n, b->ranges.n);
    for (uint32_t i = 0; i < a->ranges.n; i++) {
        struct range_key key = *(const struct range_key *)map_key(&a->ranges.keys, i);
        key.module = same_module(b, a, key.module);
        assert_same_sums(&a->ranges.at[i], table_find(&b->ranges, &key));
    }
    assert_int_equal(a->trips.n, b->trips.n);
    for (uint32_t i = 0; i < a->trips.n; i++) {
        struct trip_key key = *(const struct trip_key *)map_key(&a->trips.keys, i);
        key.module = same_module(b, a, key.module);
        assert_same_sums(&a->trips.at[i], table_find(&b->trips, &key));
    }
    assert_int_equal(a->paths.n, b->paths.n);
    for (uint32_t i = 0; i < a->paths.n; i++) {
        struct path_key key = *(const struct path_key *)map_key(&a->paths.keys, i);
        key.module = same_module(b, a, key.module);
        assert_same_sums(&a->paths.at[i], table_find(&b->paths, &key));
    }
}

static inline uint64_t weight_of(const struct stacks *stacks, uint32_t node, uint32_t group)
{
    struct stack_cell cell = {node, group};
    uint32_t index = map_find(&stacks->cells, &cell);
    return index == MAP_NONE ? 0 : stacks->weights.at[index];
}

static inline void assert_same_stacks(const struct profile *a, const struct stacks *x,
                                      const struct profile *b, const struct stacks *y)
{
    assert_int_equal(x->nodes.n, y->nodes.n);
    assert_int_equal(x->cells.n, y->cells.n);
    uint32_t *in_b = mem_alloc((x->nodes.n + (size_t)1) * sizeof *in_b);
    for (uint32_t i = 0; i < x->nodes.n; i++) {
        struct stack_key key = stacks_key(x, i);
        key.module = same_module(b, a, key.module);
        if (key.parent != STACK_NONE)
            key.parent = in_b[key.parent];
        in_b[i] = map_find(&y->nodes, &key);
        assert_int_not_equal(in_b[i], MAP_NONE);
        assert_int_equal(x->depths.at[i], y->depths.at[in_b[i]]);
        for (uint32_t group = 0; group < STACK_GROUPS; group++)
            assert_true(weight_of(x, i, group) == weight_of(y, in_b[i], group));
    }
    mem_free(in_b);
}

static inline void assert_same_plain(const struct profile *a, const struct profile *b)
{
    assert_same_stacks(a, &a->stacks, b, &b->stacks);
    assert_same_stacks(a, &a->waits, b, &b->waits);
    assert_int_equal(a->threads.n, b->threads.n);
    for (size_t i = 0; i < a->threads.n; i++) {
        const struct thread_times *x = &a->threads.at[i], *y = &b->threads.at[i];
        assert_true(x->pid == y->pid && x->tid == y->tid);
        assert_string_equal(x->name, y->name);
        assert_true(x->user_ns == y->user_ns && x->kernel_ns == y->kernel_ns);
        assert_true(x->off_ns == y->off_ns && x->switches == y->switches);
    }
    assert_int_equal(a->names.n, b->names.n);
    for (size_t i = 0; i < a->names.n; i++) {
        const struct name *x = &a->names.at[i];
        const struct name *y = names_find(&b->names, same_module(b, a, x->module), x->start);
        assert_non_null(y);
        assert_true(x->start == y->start && x->bytes == y->bytes);
        assert_string_equal(x->text, y->text);
    }
}

static inline void assert_same_totals(const struct totals *a, const struct totals *b)
{
    assert_true(a->batches == b->batches && a->windows == b->windows);
    assert_true(a->interrupts == b->interrupts && a->instructions == b->instructions);
    assert_true(a->time == b->time && a->count == b->count);
    assert_true(a->time_xx == b->time_xx && a->count_xx == b->count_xx);
    assert_true(a->user_ns == b->user_ns && a->kernel_ns == b->kernel_ns);
    assert_true(a->user_ticks == b->user_ticks);
    assert_true(a->agent_ns == b->agent_ns && a->tool_ns == b->tool_ns);
    assert_true(a->off_ns == b->off_ns);
    assert_true(a->samples == b->samples && a->sampled_ns == b->sampled_ns);
    for (size_t i = 0; i < LOSS_N; i++)
        assert_true(a->losses[i] == b->losses[i]);
}

/* Same content, found by looking: not by comparing what the encoder makes of it. */
static inline void assert_same_profile(const struct profile *a, const struct profile *b)
{
    assert_int_equal(a->mode, b->mode);
    assert_int_equal(a->complete, b->complete);
    assert_same_text(a->command, b->command);
    assert_true(a->start_unix_ns == b->start_unix_ns);
    assert_int_equal(a->facts.n, b->facts.n);
    for (size_t i = 0; i < a->facts.n; i++) {
        assert_string_equal(a->facts.at[i].key, b->facts.at[i].key);
        assert_string_equal(a->facts.at[i].value, b->facts.at[i].value);
    }
    assert_int_equal(a->other_losses.n, b->other_losses.n);
    for (size_t i = 0; i < a->other_losses.n; i++) {
        assert_string_equal(a->other_losses.at[i].name, b->other_losses.at[i].name);
        assert_true(a->other_losses.at[i].n == b->other_losses.at[i].n);
    }
    assert_int_equal(a->modules.n, b->modules.n);
    assert_same_tables(a, b);
    assert_same_plain(a, b);
    assert_same_totals(&a->totals, &b->totals);
}
