/* Walks of one process, decoded into a profile: what it has translated is filled in by hand. */
#pragma once

#include "base/memory.h"
#include "collect/stacks/walk_stacks.h"
#include "collect/windows/decode.h"
#include "collect/windows/window_consumer.h"

#include "../process/fake_code.h"

/* Static in each test: too large for a stack frame. */
struct fixture {
    struct fake_code code;
    struct crew crew;
    struct recording_options options;
    struct recording_session session;
    struct payload_sum payloads;
    struct decode decode;
};

static inline void open_fixture_with(struct fixture *fixture, struct walk_stacks *stacks)
{
    fake_code_open(&fixture->code,
                   (struct wire_map){.start = 0x1000, .end = 0x100000, .offset = 0x1000});
    fixture->code.profile.mode = PROFILE_SAMPLED;
    crew_init(&fixture->crew, true);
    fixture->session = (struct recording_session){
        .options = &fixture->options, .profile = &fixture->code.profile, .stacks = stacks};
    if (stacks)
        walk_stacks_init(stacks, &fixture->code.profile);
    decode_init(&fixture->decode, &fixture->session, fixture->code.fake.channel,
                &fixture->code.units, &fixture->crew, &fixture->payloads);
}

static inline void open_fixture(struct fixture *fixture)
{
    open_fixture_with(fixture, NULL);
}

static inline void close_fixture(struct fixture *fixture)
{
    decode_release(&fixture->decode);
    crew_release(&fixture->crew);
    fake_code_close(&fixture->code);
}

/* Exits of fake_loop. */
enum { LEFT_LOOP, CALLED, RETURNED, AGAIN };
static inline void add_loop(struct fixture *fixture)
{
    fake_loop(&fixture->code.fake, LEFT_LOOP, 0);
    fake_code_read_good(&fixture->code);
}

/* Of all groups. */
static inline uint64_t time_at(const struct fixture *fixture, uint64_t address)
{
    const struct stacks *stacks = &fixture->code.profile.stacks;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        const struct stack_cell *cell = map_key(&stacks->cells, i);
        if (stacks_key(stacks, cell->node).address == address)
            sum += stacks->weights.at[i];
    }
    return sum;
}

static inline struct sums range(const struct fixture *fixture, uint64_t start, uint64_t last,
                                uint32_t n)
{
    struct range_key key = {.module = 0, .instructions = n, .start = {start}, .last = {last}};
    const struct sums *sums = table_find(&fixture->code.profile.ranges, &key);
    return sums ? *sums : (struct sums){0};
}

static inline struct sums edge(const struct fixture *fixture, uint64_t from, uint64_t to,
                               enum edge_kind kind)
{
    struct edge_key key = {.from = {from}, .to = {to}, .kind = kind};
    if (kind == EDGE_RETURN)
        key.from_module = MODULE_NONE;
    const struct sums *sums = table_find(&fixture->code.profile.edges, &key);
    return sums ? *sums : (struct sums){0};
}
