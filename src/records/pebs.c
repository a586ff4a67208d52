#include "records/pebs.h"

enum { WORD_WEIGHT, WORD_SOURCE, WORDS };

#define PARTS(X)                                                                                   \
    X(var1_dw, WORD_WEIGHT, 0, 32)                                                                 \
    X(var2_w, WORD_WEIGHT, 32, 16)                                                                 \
    X(var3_w, WORD_WEIGHT, 48, 16)                                                                 \
    X(mem_op, WORD_SOURCE, 0, 5)                                                                   \
    X(mem_lvl, WORD_SOURCE, 5, 14)                                                                 \
    X(mem_snoop, WORD_SOURCE, 19, 5)                                                               \
    X(mem_lock, WORD_SOURCE, 24, 2)                                                                \
    X(mem_dtlb, WORD_SOURCE, 26, 7)                                                                \
    X(mem_lvl_num, WORD_SOURCE, 33, 4)                                                             \
    X(mem_remote, WORD_SOURCE, 37, 1)                                                              \
    X(mem_snoopx, WORD_SOURCE, 38, 2)                                                              \
    X(mem_blk, WORD_SOURCE, 40, 3)                                                                 \
    X(mem_hops, WORD_SOURCE, 43, 3)

#define BITS_OF(name, word, low, n) {#name, word, low, n},
static const struct bits parts[] = {PARTS(BITS_OF)};
#define PART_ENUM(name, word, low, n) PART_##name,
enum part { PARTS(PART_ENUM) PART_N };

/* Of linux/perf_event.h, by their places in each part. */
enum { OP_NA = 1, OP_LOAD = 2, OP_STORE = 4, OP_PREFETCH = 8 };
enum { LVL_HIT = 2, LVL_MISS = 4 };
enum { LOCK_NA = 1, LOCKED = 2 };
enum { TLB_NA = 1, TLB_HIT = 2, TLB_MISS = 4, TLB_L1 = 8 };
enum { BLOCK_NA = 1, BLOCK_DATA = 2, BLOCK_ADDRESS = 4 };

/* Of mem_lvl, from bit 3 on: L1, fill buffer, L2, L3, local memory, remote memory at one and two
 * hops, remote cache likewise, I/O, uncached. */
static const uint8_t level_bits[] = {SOURCE_L1,         SOURCE_FILL,      SOURCE_L2,
                                     SOURCE_L3,         SOURCE_MEMORY,    SOURCE_FAR_MEMORY,
                                     SOURCE_FAR_MEMORY, SOURCE_FAR_CACHE, SOURCE_FAR_CACHE,
                                     SOURCE_DEVICE,     SOURCE_DEVICE};
static const uint8_t level_numbers[16] = {
    SOURCES,       SOURCE_L1,          SOURCE_L2,          SOURCE_L3,
    SOURCE_L3,     SOURCE_L2,          SOURCE_MEMORY,      SOURCES,
    SOURCE_DEVICE, SOURCE_SLOW_MEMORY, SOURCE_DEVICE,      SOURCES,
    SOURCE_FILL,   SOURCE_MEMORY,      SOURCE_SLOW_MEMORY, SOURCES};

static uint64_t part_of(const struct pebs *pebs, enum part part)
{
    const uint64_t words[WORDS] = {pebs->weight, pebs->source};
    return bits_of(&parts[part], words);
}

/* SOURCES: not told. A level that was missed is not where it came from. */
static enum sample_source source_of(const struct pebs *pebs)
{
    uint64_t level = part_of(pebs, PART_mem_lvl);
    enum sample_source source = level_numbers[part_of(pebs, PART_mem_lvl_num)];
    if (source == SOURCES && level & LVL_HIT)
        for (unsigned i = 0; i < sizeof level_bits && source == SOURCES; i++)
            if (level >> (3 + i) & 1)
                source = (enum sample_source)level_bits[i];
    bool remote = part_of(pebs, PART_mem_remote);
    if (remote && source == SOURCE_MEMORY)
        source = SOURCE_FAR_MEMORY;
    else if (remote && source <= SOURCE_L3)
        source = SOURCE_FAR_CACHE;
    return source;
}

static void source_events(enum sample_source source, struct sample *sample)
{
    sample_set(sample, SAMPLE_SOURCE, source);
    sample_event(sample, EVENT_L1_MISS, source != SOURCE_L1);
    if (source != SOURCE_FILL) {
        sample_event(sample, EVENT_L2_MISS, source > SOURCE_L2);
        sample_event(sample, EVENT_L3_MISS, source > SOURCE_L3);
        sample_event(sample, EVENT_REMOTE,
                     source == SOURCE_FAR_CACHE || source == SOURCE_FAR_MEMORY);
    }
}

/* A hit in either level, as most machines tell it, leaves open whether the first one missed. */
static void tlb_events(uint64_t tlb, struct sample *sample)
{
    bool first = tlb & TLB_L1, beyond = tlb & ~(uint64_t)(TLB_HIT | TLB_MISS | TLB_L1);
    if (!tlb || tlb & TLB_NA || !(tlb & (TLB_HIT | TLB_MISS)))
        return;
    sample_event(sample, EVENT_TLB_WALK, tlb & TLB_MISS && beyond);
    if (tlb & TLB_MISS || first != beyond)
        sample_event(sample, EVENT_TLB_MISS, tlb & TLB_MISS || beyond);
}

static void memory_decode(const struct pebs *pebs, struct sample *sample)
{
    uint64_t op = part_of(pebs, PART_mem_op), lock = part_of(pebs, PART_mem_lock);
    uint64_t block = part_of(pebs, PART_mem_blk);
    enum sample_source source = source_of(pebs);
    if (op && !(op & OP_NA)) {
        sample_event(sample, EVENT_LOAD, op & OP_LOAD);
        sample_event(sample, EVENT_STORE, op & OP_STORE);
        sample_event(sample, EVENT_PREFETCH, op & OP_PREFETCH);
    }
    if (source != SOURCES)
        source_events(source, sample);
    if (lock && !(lock & LOCK_NA))
        sample_event(sample, EVENT_LOCKED, lock & LOCKED);
    tlb_events(part_of(pebs, PART_mem_dtlb), sample);
    if (block && !(block & BLOCK_NA))
        sample_event(sample, EVENT_BLOCKED, block & (BLOCK_DATA | BLOCK_ADDRESS));
}

/* A part of the weight that a machine does not have is 0: nothing takes no time. */
void pebs_decode(const struct pebs *pebs, struct sample *sample)
{
    sample_set(sample, SAMPLE_ORIGIN, ORIGIN_PEBS);
    sample_event(sample, EVENT_RETIRED, true);
    if (pebs->has_weight) {
        uint64_t memory = pebs->split ? part_of(pebs, PART_var1_dw) : pebs->weight;
        if (memory)
            sample_set(sample, SAMPLE_MEMORY, memory);
        if (pebs->split && part_of(pebs, PART_var2_w))
            sample_set(sample, SAMPLE_INSTRUCTION, part_of(pebs, PART_var2_w));
        if (pebs->split && part_of(pebs, PART_var3_w))
            sample_set(sample, SAMPLE_RETIRE_GAP, part_of(pebs, PART_var3_w));
    }
    if (pebs->has_source)
        memory_decode(pebs, sample);
}

void pebs_tell(const struct pebs *pebs, const struct bits_listener *listener)
{
    const uint64_t words[WORDS] = {pebs->weight, pebs->source};
    if (pebs->has_weight && !pebs->split)
        listener->hear(listener->closure, "weight", pebs->weight);
    if (pebs->has_source)
        listener->hear(listener->closure, "data_src", pebs->source);
    for (int i = 0; i < PART_N; i++)
        if (parts[i].word == WORD_WEIGHT ? pebs->has_weight && pebs->split : pebs->has_source)
            listener->hear(listener->closure, parts[i].name, bits_of(&parts[i], words));
}
