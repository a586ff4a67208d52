#include "collect/decode.h"

void decode_init(struct decode *decode, struct units *units, struct profile *profile)
{
    *decode = (struct decode){.units = units, .profile = profile};
    decode->recent = mem_alloc(DECODE_RECENT * sizeof *decode->recent);
    batch_init(&decode->batch);
    rates_init(&decode->rates);
    map_init(&decode->pair_keys, 2 * sizeof(uint32_t));
}

void decode_release(struct decode *decode)
{
    rates_release(&decode->rates);
    batch_release(&decode->batch);
    mem_free(decode->recent);
    map_release(&decode->pair_keys);
    vec_release(&decode->blocks);
    vec_release(&decode->segments);
    vec_release(&decode->exits);
    vec_release(&decode->pairs);
    vec_release(&decode->exits_seen);
    vec_release(&decode->returns_seen);
    vec_release(&decode->pairs_seen);
    vec_release(&decode->blocks_touched);
    vec_release(&decode->pairs_touched);
}

/* ---- following the units */

static void block_add(struct decode *decode, uint32_t index)
{
    const struct superblock *superblock = &decode->units->superblocks.at[index];
    const struct unit_segment *segments = &decode->units->segments.at[superblock->first_segment];
    *vec_push(&decode->blocks) = (struct decode_block){.returned.edge = MAP_NONE};
    while (decode->exits.n < superblock->first_exit + superblock->n_exits)
        vec_push(&decode->exits)->block = MAP_NONE;
    uint32_t instructions = 0;
    for (uint32_t j = 0; j < superblock->n_exits; j++) {
        const struct unit_segment *segment = &segments[superblock_last_segment(superblock, j)];
        bool fell = j == superblock->n_segments;
        if (!fell) {
            instructions += segment->instructions;
            *vec_push(&decode->segments) = (struct decode_segment){MAP_NONE, MAP_NONE, MAP_NONE};
        }
        decode->exits.at[superblock->first_exit + j] =
            (struct decode_exit){.start = segments[0].start,
                                 .target = fell ? segment->start + segment->bytes : segment->target,
                                 .block = index,
                                 .instructions = instructions & 0xffffff,
                                 .end = segment->end};
    }
}

static void follow_units(struct decode *decode)
{
    for (size_t i = decode->blocks.n; i < decode->units->superblocks.n; i++)
        block_add(decode, (uint32_t)i);
}

static const struct unit_segment *block_first(const struct decode *decode, uint32_t block)
{
    return &decode->units->segments.at[decode->units->superblocks.at[block].first_segment];
}

/* The one that can end in an indirect branch. */
static const struct unit_segment *block_last(const struct decode *decode, uint32_t block)
{
    return block_first(decode, block) + decode->units->superblocks.at[block].n_segments - 1;
}

/* ---- indices in the batch, made when they are first needed */

static uint32_t edge_index(struct decode *decode, struct place from, struct place to,
                           enum edge_kind kind)
{
    struct edge_key key = {.from_module = from.module,
                           .to_module = to.module,
                           .from = from.address.v,
                           .to = to.address.v,
                           .kind = kind};
    return batch_edge_index(&decode->batch, &key);
}

/* By an indirect end of a segment; where a return came from is not kept. */
static uint32_t indirect_edge_index(struct decode *decode, const struct unit_segment *site,
                                    struct place to)
{
    enum edge_kind kind;
    if (!segment_edge(site, &kind))
        return MAP_NONE;
    struct place from = kind == EDGE_RETURN ? (struct place){MODULE_NONE, {0}} : segment_last(site);
    return edge_index(decode, from, to, kind);
}

static void segment_list(struct decode *decode, const struct unit_segment *segment,
                         struct decode_segment *ret)
{
    struct place last = segment_last(segment);
    if (segment->instructions) {
        struct range_key range = {.module = segment->at.module,
                                  .instructions = segment->instructions,
                                  .start = segment->at.address.v,
                                  .last = last.address.v};
        ret->range = batch_range_index(&decode->batch, &range);
    }
    enum edge_kind kind;
    if (!segment->target || !segment_edge(segment, &kind))
        return;
    ret->taken = edge_index(decode, last, segment->to, kind);
    if (segment->end == SEGMENT_COND)
        ret->fallen = edge_index(decode, last, segment_next(segment), EDGE_FALL);
}

static void block_list(struct decode *decode, uint32_t index)
{
    const struct superblock *superblock = &decode->units->superblocks.at[index];
    for (uint32_t i = 0; i < superblock->n_segments; i++) {
        uint32_t at = superblock->first_segment + i;
        segment_list(decode, &decode->units->segments.at[at], &decode->segments.at[at]);
    }
    decode->unmapped += mappings_missed(decode->units->mappings, block_first(decode, index)->at);
    decode->blocks.at[index].listed = true;
}

static uint32_t pair_make(struct decode *decode, uint32_t exit, uint32_t block)
{
    uint32_t key[2] = {exit, block};
    uint32_t index = map_add(&decode->pair_keys, key);
    if (index == decode->pairs.n) {
        struct place to = block_first(decode, block)->at;
        const struct unit_segment *site = block_last(decode, decode->exits.at[exit].block);
        *vec_push(&decode->pairs) =
            (struct decode_tally){.edge = indirect_edge_index(decode, site, to)};
    }
    return index;
}

static uint32_t pair_find(struct decode *decode, uint32_t exit, uint32_t block)
{
    uint32_t slot = (exit * 0x9E3779B1u ^ block * 0x85EBCA6Bu) >> 20;
    struct decode_recent *recent = &decode->recent[slot];
    if (!recent->pair || recent->exit != exit || recent->block != block)
        *recent = (struct decode_recent){exit, block, pair_make(decode, exit, block) + 1};
    return recent->pair - 1;
}

/* ---- one window: count */

static void count(struct decode_tally *tally, uint32_t index, struct decode_list *seen)
{
    if (!tally->seen++)
        *vec_push(seen) = index;
}

/* A return, indirect jump or indirect call went to the start of a superblock. */
static void count_indirect(struct decode *decode, uint32_t exit, uint32_t block)
{
    if (decode->exits.at[exit].end == SEGMENT_RETURN) {
        count(&decode->blocks.at[block].returned, block, &decode->returns_seen);
    } else {
        uint32_t pair = pair_find(decode, exit, block);
        count(&decode->pairs.at[pair], pair, &decode->pairs_seen);
    }
}

/* False: the walk contradicts the units. */
static bool count_exits(struct decode *decode, const uint32_t *exits, uint32_t n,
                        uint64_t *ret_instructions)
{
    uint64_t instructions = 0;
    uint64_t expected = 0; /* where the exit before went, 0: anywhere */
    for (uint32_t i = 0; i < n; i++) {
        if (exits[i] >= decode->exits.n || decode->exits.at[exits[i]].block == MAP_NONE)
            return false;
        struct decode_exit *exit = &decode->exits.at[exits[i]];
        if (expected && expected != exit->start)
            return false;
        if (i && !expected)
            count_indirect(decode, exits[i - 1], exit->block);
        count(&exit->left, exits[i], &decode->exits_seen);
        instructions += exit->instructions;
        expected = exit->target;
    }
    *ret_instructions = instructions;
    return true;
}

/* ---- one window: weigh */

struct weight {
    uint64_t instructions, rate; /* instructions 0: the window weighs nothing */
};

static uint64_t units_of(const struct weight *weight, uint64_t seen)
{
    return ((seen << UNIT_BITS) + weight->instructions / 2) / weight->instructions;
}

static void weigh(struct decode_tally *tally, const struct weight *weight)
{
    if (weight->instructions) {
        uint64_t units = units_of(weight, tally->seen);
        tally->time += units;
        tally->count += units * weight->rate;
    }
    tally->seen = 0;
}

static void touch(struct decode *decode, uint32_t block)
{
    if (!decode->blocks.at[block].touched)
        *vec_push(&decode->blocks_touched) = block;
    decode->blocks.at[block].touched = true;
}

/* Every window ends here, good or garbled: what it saw is weighed and forgotten. */
static void window_weigh(struct decode *decode, const struct weight *weight)
{
    for (size_t i = 0; i < decode->exits_seen.n; i++) {
        struct decode_exit *exit = &decode->exits.at[decode->exits_seen.at[i]];
        if (!exit->left.time)
            touch(decode, exit->block);
        weigh(&exit->left, weight);
    }
    for (size_t i = 0; i < decode->returns_seen.n; i++) {
        touch(decode, decode->returns_seen.at[i]);
        weigh(&decode->blocks.at[decode->returns_seen.at[i]].returned, weight);
    }
    for (size_t i = 0; i < decode->pairs_seen.n; i++) {
        struct decode_tally *pair = &decode->pairs.at[decode->pairs_seen.at[i]];
        if (!pair->time)
            *vec_push(&decode->pairs_touched) = decode->pairs_seen.at[i];
        weigh(pair, weight);
    }
    decode->exits_seen.n = decode->returns_seen.n = decode->pairs_seen.n = 0;
}

/* Where the last exit went, if it was indirect: no superblock of this window starts there. */
static void end_weigh(struct decode *decode, const struct event_walk *walk, uint32_t last_exit,
                      const struct weight *weight)
{
    const struct decode_exit *exit = &decode->exits.at[last_exit];
    if (exit->target || !walk->end_pc)
        return;
    struct place to = mappings_place(decode->units->mappings, (struct avma){walk->end_pc});
    decode->unmapped += mappings_missed(decode->units->mappings, to);
    uint32_t edge = indirect_edge_index(decode, block_last(decode, exit->block), to);
    uint64_t units = units_of(weight, 1);
    batch_add_edge_at(&decode->batch, edge, units, units * weight->rate);
}

/* The superblock in which most of the window ran, and how much of it. */
static struct rate_place window_place(const struct decode *decode, uint64_t instructions)
{
    uint64_t most = 0;
    struct rate_place place = {0};
    for (size_t i = 0; i < decode->exits_seen.n; i++) {
        const struct decode_exit *exit = &decode->exits.at[decode->exits_seen.at[i]];
        uint64_t ran = (uint64_t)exit->left.seen * exit->instructions;
        if (ran > most) {
            most = ran;
            place.start = exit->start;
        }
    }
    place.share = 16 * most / instructions;
    return place;
}

static uint64_t window_rate(struct decode *decode, const struct event_walk *walk,
                            uint64_t instructions)
{
    struct rate_place place = window_place(decode, instructions);
    if ((walk->flags & WALK_TIMED) && walk->trail && walk->trail_ticks) {
        uint64_t rate = ((uint64_t)walk->trail << RATE_BITS) / walk->trail_ticks;
        rate = rate < 1 ? 1 : rate > DECODE_RATE_MAX ? DECODE_RATE_MAX : rate;
        rates_add(&decode->rates, &place, rate);
        decode->trail += walk->trail;
        decode->trail_ticks += walk->trail_ticks;
        return rate;
    }
    return rates_expect(&decode->rates, &place, 1u << RATE_BITS);
}

static void decode_window(struct decode *decode, const struct event_walk *walk,
                          const uint32_t *exits)
{
    struct weight weight = {0};
    uint64_t instructions = 0;
    follow_units(decode);
    if (!count_exits(decode, exits, walk->n_exits, &instructions)) {
        decode->garbled++;
    } else if (instructions) {
        weight = (struct weight){.instructions = instructions,
                                 .rate = window_rate(decode, walk, instructions)};
        end_weigh(decode, walk, exits[walk->n_exits - 1], &weight);
        batch_add_window(&decode->batch, 1u << UNIT_BITS, weight.rate << UNIT_BITS);
        decode->windows++;
        decode->instructions += instructions;
        decode->miscounted += instructions != walk->instructions;
    }
    window_weigh(decode, &weight);
}

/* ---- one batch: expand */

struct flow {
    uint64_t time, count;
};

static struct flow take(struct decode_tally *tally)
{
    struct flow flow = {tally->time, tally->count};
    tally->time = tally->count = 0;
    return flow;
}

static void add_edge(struct decode *decode, uint32_t edge, struct flow flow)
{
    if (edge != MAP_NONE && (flow.time | flow.count))
        batch_add_edge_at(&decode->batch, edge, flow.time, flow.count);
}

static void add_range(struct decode *decode, uint32_t range, struct flow flow)
{
    if (range != MAP_NONE && (flow.time | flow.count))
        batch_add_range_at(&decode->batch, range, flow.time, flow.count);
}

/* From the last segment back: what ran a segment is what left at it and what went on behind it. */
static void segments_expand(struct decode *decode, const struct superblock *superblock)
{
    struct decode_exit *exits = &decode->exits.at[superblock->first_exit];
    struct flow on = {0};
    if (superblock->n_exits > superblock->n_segments)
        on = take(&exits[superblock->n_segments].left);
    for (uint32_t i = superblock->n_segments; i-- > 0;) {
        const struct decode_segment *segment = &decode->segments.at[superblock->first_segment + i];
        struct flow left = take(&exits[i].left);
        struct flow ran = {left.time + on.time, left.count + on.count};
        bool conditional = segment->fallen != MAP_NONE;
        add_range(decode, segment->range, ran);
        add_edge(decode, segment->taken, conditional ? left : ran);
        add_edge(decode, segment->fallen, on);
        on = ran;
    }
}

static void block_expand(struct decode *decode, uint32_t index)
{
    struct decode_block *block = &decode->blocks.at[index];
    block->touched = false;
    if (!block->listed)
        block_list(decode, index);
    segments_expand(decode, &decode->units->superblocks.at[index]);
    struct flow returned = take(&block->returned);
    if (returned.time && block->returned.edge == MAP_NONE)
        block->returned.edge = edge_index(decode, (struct place){MODULE_NONE, {0}},
                                          block_first(decode, index)->at, EDGE_RETURN);
    add_edge(decode, block->returned.edge, returned);
}

void decode_flush(struct decode *decode)
{
    for (size_t i = 0; i < decode->blocks_touched.n; i++)
        block_expand(decode, decode->blocks_touched.at[i]);
    for (size_t i = 0; i < decode->pairs_touched.n; i++) {
        struct decode_tally *pair = &decode->pairs.at[decode->pairs_touched.at[i]];
        add_edge(decode, pair->edge, take(pair));
    }
    decode->blocks_touched.n = decode->pairs_touched.n = 0;
    batch_close(&decode->batch, decode->profile);
}

/* ---- walks */

void decode_walk(struct decode *decode, const struct event_walk *walk, const uint32_t *exits)
{
    uint64_t slot = walk->cpu_ns / DECODE_BATCH_NS;
    if (slot != decode->slot)
        decode_flush(decode);
    decode->slot = slot;
    if (walk->pc) {
        struct place at = mappings_place(decode->units->mappings, (struct avma){walk->pc});
        decode->unmapped += mappings_missed(decode->units->mappings, at);
        struct point_key point = {.module = at.module, .address = at.address.v};
        batch_add_point(&decode->batch, &point, 1u << UNIT_BITS, 0);
    }
    if (walk->n_exits)
        decode_window(decode, walk, exits);
}
