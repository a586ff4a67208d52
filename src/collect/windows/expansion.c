#include "collect/windows/expansion.h"

#include "process/selection.h"

void expansion_init(struct expansion *expansion, struct units *units, struct tally *tally,
                    struct batch *batch)
{
    *expansion = (struct expansion){.units = units, .tally = tally, .batch = batch};
}

void expansion_release(struct expansion *expansion)
{
    vec_release(&expansion->listed);
    vec_release(&expansion->segments);
    vec_release(&expansion->pieces);
    vec_release(&expansion->ways);
}

static void block_add(struct expansion *expansion, uint32_t index)
{
    const struct superblock *superblock = &expansion->units->superblocks.at[index];
    const struct unit_segment *segments = &expansion->units->segments.at[superblock->first_segment];
    *vec_push(&expansion->listed) = false;
    uint32_t instructions = 0;
    for (uint32_t j = 0; j < superblock->n_exits; j++) {
        const struct unit_segment *segment = &segments[superblock_last_segment(superblock, j)];
        bool fell = j == superblock->n_segments;
        if (!fell) {
            instructions += segment->instructions;
            *vec_push(&expansion->segments) =
                (struct expanded_segment){MAP_NONE, MAP_NONE, MAP_NONE, 0, 0};
        }
        uint64_t target = fell ? segment->start + segment->bytes : segment->target;
        tally_exit_add(expansion->tally, superblock->first_exit + j, index, segments[0].start,
                       target, instructions, segment->end == SEGMENT_RETURN);
    }
}

void expansion_follow(struct expansion *expansion)
{
    for (size_t i = expansion->listed.n; i < expansion->units->superblocks.n; i++)
        block_add(expansion, (uint32_t)i);
}

const struct unit_segment *expansion_block(const struct expansion *expansion, uint32_t block)
{
    return &expansion->units->segments.at[expansion->units->superblocks.at[block].first_segment];
}

/* The one that can end in an indirect branch. */
static const struct unit_segment *block_last(const struct expansion *expansion, uint32_t block)
{
    return expansion_block(expansion, block) + expansion->units->superblocks.at[block].n_segments -
           1;
}

/* ---- indices in the batch, made when they are first needed */

static uint32_t edge_index(struct expansion *expansion, struct place from, struct place to,
                           enum edge_kind kind)
{
    struct edge_key key = {.from_module = from.module,
                           .to_module = to.module,
                           .from = from.address,
                           .to = to.address,
                           .kind = kind};
    struct mappings *mappings = expansion->units->mappings;
    if (mappings->only && !selection_takes_edge(mappings->only, mappings, from, to, kind))
        return MAP_NONE;
    return batch_edge_index(expansion->batch, &key);
}

/* By an indirect end of a segment; where a return came from is not kept. */
static uint32_t indirect_edge_index(struct expansion *expansion, const struct unit_segment *site,
                                    struct place to)
{
    enum edge_kind kind;
    if (!segment_edge(site, &kind))
        return MAP_NONE;
    struct place from = kind == EDGE_RETURN ? (struct place){MODULE_NONE, {0}} : segment_last(site);
    return edge_index(expansion, from, to, kind);
}

static uint32_t range_index(struct expansion *expansion, uint32_t module, const struct piece *piece)
{
    struct range_key range = {.module = module,
                              .instructions = piece->instructions,
                              .start = piece->start,
                              .last = piece->last};
    return batch_range_index(expansion->batch, &range);
}

static void pieces_list(struct expansion *expansion, const struct unit_segment *segment,
                        struct expanded_segment *ret)
{
    struct pieces pieces = {0};
    selection_pieces(expansion->units->mappings->only, expansion->units->mappings, segment,
                     &pieces);
    ret->pieces = (uint32_t)expansion->pieces.n;
    ret->n_pieces = (uint32_t)pieces.n;
    for (size_t i = 0; i < pieces.n; i++)
        *vec_push(&expansion->pieces) = range_index(expansion, segment->at.module, &pieces.at[i]);
    vec_release(&pieces);
}

static void segment_list(struct expansion *expansion, const struct unit_segment *segment,
                         struct expanded_segment *ret)
{
    struct place last = segment_last(segment);
    struct piece whole = {segment->at.address, last.address, segment->instructions};
    if (expansion->units->mappings->only)
        pieces_list(expansion, segment, ret);
    else if (segment->instructions)
        ret->range = range_index(expansion, segment->at.module, &whole);
    enum edge_kind kind;
    if (!segment->target || !segment_edge(segment, &kind))
        return;
    ret->taken = edge_index(expansion, last, segment->to, kind);
    if (segment->end == SEGMENT_COND)
        ret->fallen = edge_index(expansion, last, segment_next(segment), EDGE_FALL);
}

static void block_list(struct expansion *expansion, uint32_t index)
{
    const struct superblock *superblock = &expansion->units->superblocks.at[index];
    for (uint32_t i = 0; i < superblock->n_segments; i++) {
        uint32_t at = superblock->first_segment + i;
        segment_list(expansion, &expansion->units->segments.at[at], &expansion->segments.at[at]);
    }
    expansion->unmapped +=
        mappings_missed(expansion->units->mappings, expansion_block(expansion, index)->at);
    expansion->listed.at[index] = true;
}

/* ---- a batch */

static void add_edge(struct expansion *expansion, uint32_t edge, struct tally_flow flow)
{
    if (edge != MAP_NONE && (flow.time | flow.count))
        batch_add_edge_at(expansion->batch, edge, flow.time, flow.count);
}

static void add_range(struct expansion *expansion, const struct expanded_segment *segment,
                      struct tally_flow flow)
{
    if (!(flow.time | flow.count))
        return;
    if (segment->range != MAP_NONE)
        batch_add_range_at(expansion->batch, segment->range, flow.time, flow.count);
    for (uint32_t i = 0; i < segment->n_pieces; i++)
        batch_add_range_at(expansion->batch, expansion->pieces.at[segment->pieces + i], flow.time,
                           flow.count);
}

/* From the last segment back: what ran a segment is what left at it and what went on behind it.
 * Falling through, a branch has both in the place of its time: struct sums. */
static void segments_expand(struct expansion *expansion, const struct superblock *superblock)
{
    struct tally_exit *exits = &expansion->tally->exits.at[superblock->first_exit];
    struct tally_flow on = {0};
    if (superblock->n_exits > superblock->n_segments)
        on = tally_take(&exits[superblock->n_segments].flow);
    for (uint32_t i = superblock->n_segments; i-- > 0;) {
        const struct expanded_segment *segment =
            &expansion->segments.at[superblock->first_segment + i];
        struct tally_flow left = tally_take(&exits[i].flow);
        struct tally_flow ran = {left.time + on.time, left.count + on.count};
        bool conditional =
            expansion->units->segments.at[superblock->first_segment + i].end == SEGMENT_COND;
        add_range(expansion, segment, ran);
        add_edge(expansion, segment->taken, conditional ? left : ran);
        add_edge(expansion, segment->fallen,
                 (struct tally_flow){.time = ran.count, .count = on.count});
        on = ran;
    }
}

static void block_expand(struct expansion *expansion, uint32_t index)
{
    if (!expansion->listed.at[index])
        block_list(expansion, index);
    segments_expand(expansion, &expansion->units->superblocks.at[index]);
}

static uint32_t way_edge(struct expansion *expansion, const struct tally_way *way)
{
    struct place to = expansion_block(expansion, way->block)->at;
    if (way->exit == TALLY_ANYWHERE)
        return edge_index(expansion, (struct place){MODULE_NONE, {0}}, to, EDGE_RETURN);
    return indirect_edge_index(
        expansion, block_last(expansion, expansion->tally->exits.at[way->exit].block), to);
}

static void way_expand(struct expansion *expansion, uint32_t index)
{
    struct tally_way *way = &expansion->tally->ways.at[index];
    while (expansion->ways.n <= index)
        *vec_push(&expansion->ways) = MAP_NONE;
    if (expansion->ways.at[index] == MAP_NONE)
        expansion->ways.at[index] = way_edge(expansion, way);
    add_edge(expansion, expansion->ways.at[index], tally_take(&way->flow));
}

/* Calls visit for every bit that is set, and clears them. */
static void bits_drain(struct expansion *expansion, struct tally_bits *bits,
                       void (*visit)(struct expansion *, uint32_t))
{
    for (uint32_t word = 0; word < bits->n; word++) {
        for (uint64_t left = bits->at[word]; left; left &= left - 1)
            visit(expansion, word * 64 + (uint32_t)__builtin_ctzll(left));
        bits->at[word] = 0;
    }
}

void expansion_end(struct expansion *expansion, uint32_t exit, struct place to,
                   struct tally_flow flow)
{
    const struct unit_segment *site = block_last(expansion, expansion->tally->exits.at[exit].block);
    add_edge(expansion, indirect_edge_index(expansion, site, to), flow);
}

void expansion_return(struct expansion *expansion, struct place to, struct tally_flow flow)
{
    struct place anywhere = {MODULE_NONE, {0}};
    add_edge(expansion, edge_index(expansion, anywhere, to, EDGE_RETURN), flow);
}

uint64_t expansion_flush(struct expansion *expansion)
{
    uint64_t before = expansion->unmapped;
    bits_drain(expansion, &expansion->tally->blocks_touched, block_expand);
    bits_drain(expansion, &expansion->tally->ways_touched, way_expand);
    return expansion->unmapped - before;
}
