/* One instruction that was watched on its way through a processor: what it was, what happened to
 * it, and when.
 *
 * One type for the pipeline model and for hardware: AMD's IBS, Arm's SPE, Intel's PEBS. A record is
 * a row of integers, each with a name and a bit in `known`: what was not measured has no bit and is
 * 0, and must not be taken for a measured 0. Events have a mask of their own for the same reason
 * (SAMPLE_EVENTS_KNOWN).
 *
 * Stages are cycles since the first stage that was measured (of the model, fetch; of IBS and SPE,
 * map); what lies between two of them is known if both are. Spans are durations that hardware tells
 * without saying where they begin.
 *
 * Decoders leave addresses as they were in memory, and SAMPLE_MODULE unknown. In a profile a module
 * is one of the profile's and addresses of code are as linked; addresses of data stay as they were.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* name, what it is. The order is part of the profile's format: append only. */
#define SAMPLE_FIELDS(X)                                                                           \
    X(MODULE, module, "module of the profile")                                                     \
    X(PC, pc, "address of the instruction")                                                        \
    X(ORIGIN, origin, "who measured: enum sample_origin")                                          \
    X(WEIGHT, weight, "what it stands for: instructions, operations, events")                      \
    X(PID, pid, "process")                                                                         \
    X(TID, tid, "thread")                                                                          \
    X(CPU, cpu, "processor")                                                                       \
    X(TIME, time, "ns")                                                                            \
    X(TICKS, ticks, "time in ticks of a clock of its own")                                         \
    X(EVENTS, events, "what happened: bits of enum sample_event")                                  \
    X(EVENTS_KNOWN, events_known, "what would have been told if it had happened")                  \
    X(DATA, data, "virtual address of what it loaded or stored")                                   \
    X(PHYSICAL, physical, "the same, physical")                                                    \
    X(BYTES, bytes, "of it")                                                                       \
    X(SOURCE, source, "where a load's data came from: enum sample_source")                         \
    X(OPEN_MISSES, open_misses, "memory requests under way when it missed")                        \
    X(TARGET, target, "where a branch went")                                                       \
    X(TARGET_MODULE, target_module, "module of that")                                              \
    X(HISTORY, history, "directions of the last branches, the latest in bit 0, taken is 1")        \
    X(HISTORY_BITS, history_bits, "how many of them are known")                                    \
    X(PAIR, pair, "number of its pair; two records in a row have the same")                        \
    X(DISTANCE, distance, "fetched instructions since the pair's first")                           \
    X(FETCH, fetch, "stage: fetched")                                                              \
    X(MAP, map, "stage: renamed, dispatched or tagged")                                            \
    X(READY, ready, "stage: operands are there")                                                   \
    X(ISSUE, issue, "stage: begun")                                                                \
    X(DONE, done, "stage: ready to retire")                                                        \
    X(RETIRE, retire, "stage: retired")                                                            \
    X(MEMORY, memory, "span: a load, from its issue to its data")                                  \
    X(MISS, miss, "span: a miss of the first data cache")                                          \
    X(TRANSLATE, translate, "span: translation of the address of data")                            \
    X(FETCHING, fetching, "span: its fetch, up to delivery or abort")                              \
    X(FETCH_TRANSLATE, fetch_translate, "span: translation of the address of code")                \
    X(INSTRUCTION, instruction, "span: the whole instruction, as PEBS counts it")                  \
    X(RETIRE_GAP, retire_gap, "span: since the instruction before it retired")                     \
    X(APART, apart, "span: since the pair's first was fetched")                                    \
    X(DATA_MODULE, data_module, "module, or region of memory, that its data is in")                \
    X(DATA_LINKED, data_linked, "address of that, as linked; of a region, as it was")              \
    X(UNIT, unit, "what it was issued to: a port or a functional unit")                            \
    X(STEPS, steps, "retired instructions since the pair's first, if both retired")

enum sample_field {
#define SAMPLE_ENUM(name, word, text) SAMPLE_##name,
    SAMPLE_FIELDS(SAMPLE_ENUM)
#undef SAMPLE_ENUM
        SAMPLE_N
};

/* The order is part of the profile's format: append only. */
#define SAMPLE_EVENT_LIST(X)                                                                       \
    X(RETIRED, retired)                                                                            \
    X(LOAD, load)                                                                                  \
    X(STORE, store)                                                                                \
    X(BRANCH, branch)                                                                              \
    X(CONDITIONAL, conditional)                                                                    \
    X(INDIRECT, indirect)                                                                          \
    X(RETURN, returns)                                                                             \
    X(TAKEN, taken)                                                                                \
    X(MISPREDICTED, mispredicted)                                                                  \
    X(L1I_MISS, l1i_miss)                                                                          \
    X(ITLB_MISS, itlb_miss)                                                                        \
    X(ITLB_WALK, itlb_walk)                                                                        \
    X(CODE_L2_MISS, code_l2_miss)                                                                  \
    X(L1_MISS, l1_miss)                                                                            \
    X(L2_MISS, l2_miss)                                                                            \
    X(L3_MISS, l3_miss)                                                                            \
    X(TLB_MISS, tlb_miss)                                                                          \
    X(TLB_WALK, tlb_walk)                                                                          \
    X(LOCKED, locked)                                                                              \
    X(PREFETCH, prefetch)                                                                          \
    X(MISALIGNED, misaligned)                                                                      \
    X(REMOTE, remote)                                                                              \
    X(FORWARDED, forwarded)                                                                        \
    X(BLOCKED, blocked)                                                                            \
    X(UNCACHED, uncached)                                                                          \
    X(EXCEPTION, exception)                                                                        \
    X(MICROCODE, microcode)                                                                        \
    X(FUSED, fused)                                                                                \
    X(ROB_FULL, rob_full) /* what dispatch waited for, of a model: */                              \
    X(LOADS_FULL, load_queue_full)                                                                 \
    X(STORES_FULL, store_queue_full)                                                               \
    X(NO_REGISTER, no_register)                                                                    \
    X(SCHEDULER_FULL, scheduler_full)                                                              \
    X(ALONE, alone) /* one that runs alone */

enum sample_event {
#define SAMPLE_ENUM(name, word) EVENT_##name,
    SAMPLE_EVENT_LIST(SAMPLE_ENUM)
#undef SAMPLE_ENUM
        EVENTS_N
};

enum sample_origin {
    ORIGIN_MODEL,
    ORIGIN_IBS_FETCH,
    ORIGIN_IBS_OP,
    ORIGIN_SPE,
    ORIGIN_PEBS,
    ORIGINS
};

/* From near to far. */
enum sample_source {
    SOURCE_L1,
    SOURCE_FILL, /* a line that was on its way already */
    SOURCE_L2,
    SOURCE_L3, /* or another core's cache beside it */
    SOURCE_PEER,
    SOURCE_MEMORY,
    SOURCE_FAR_CACHE,
    SOURCE_FAR_MEMORY,
    SOURCE_SLOW_MEMORY, /* persistent or attached */
    SOURCE_DEVICE,
    SOURCES
};

struct sample {
    uint64_t known; /* 1 << enum sample_field */
    uint64_t at[SAMPLE_N];
};

/* The fields that hold a module of the profile. */
enum { SAMPLE_MODULE_FIELDS = 3 };
extern const enum sample_field sample_module_fields[SAMPLE_MODULE_FIELDS];

static inline bool sample_knows(const struct sample *sample, enum sample_field field)
{
    return sample->known >> field & 1;
}

static inline void sample_set(struct sample *sample, enum sample_field field, uint64_t value)
{
    sample->at[field] = value;
    sample->known |= (uint64_t)1 << field;
}

static inline bool sample_is_stage(enum sample_field field)
{
    return field >= SAMPLE_FETCH && field <= SAMPLE_RETIRE;
}

/* The event would have been told; whether it happened. */
static inline void sample_event(struct sample *sample, enum sample_event event, bool happened)
{
    sample->at[SAMPLE_EVENTS_KNOWN] |= (uint64_t)1 << event;
    sample->at[SAMPLE_EVENTS] |= (uint64_t)happened << event;
    sample->known |= (uint64_t)1 << SAMPLE_EVENTS | (uint64_t)1 << SAMPLE_EVENTS_KNOWN;
}

static inline bool sample_event_known(const struct sample *sample, enum sample_event event)
{
    return sample->at[SAMPLE_EVENTS_KNOWN] >> event & 1;
}

static inline bool sample_happened(const struct sample *sample, enum sample_event event)
{
    return sample->at[SAMPLE_EVENTS] >> event & 1;
}

const char *sample_field_name(enum sample_field field);
const char *sample_field_text(enum sample_field field);
const char *sample_event_name(enum sample_event event);
const char *sample_origin_name(enum sample_origin origin);
/* SAMPLE_N, EVENTS_N: there is none of that name. */
enum sample_field sample_field_find(const char *name, size_t n);
enum sample_event sample_event_find(const char *name, size_t n);

/* By what is known and then field by field: any two that differ have an order. */
int sample_compare(const struct sample *a, const struct sample *b);
