/* What the agent of a process has translated: its units section, checked, in the tool's own memory.
 * Addresses become places while the mappings are those of the moment.
 *
 * The bytes come from another process. An entry that contradicts itself or an earlier one is left
 * out and counted. One with an impossible length ends the reading for good: the next entry cannot
 * be found. */
#pragma once

#include "base/vec.h"
#include "process/mappings.h"
#include "profile/profile.h"
#include "wire/channel.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    UNITS_EXITS_MAX = 1 << 22, /* twice what fits into the section */
    UNIT_NONE = -1,
};

struct unit_segment {
    uint64_t start, target; /* avma; target 0: none */
    struct place at, to;    /* of start and target */
    uint32_t bytes;
    uint16_t instructions;
    uint8_t end, last_bytes; /* as in struct wire_segment */
};

struct superblock {
    uint32_t first_segment, n_segments;
    uint32_t first_exit, n_exits;
    uint32_t counter;
    uint32_t first_item; /* of the payload */
    uint16_t n_items;
    uint16_t left_out; /* as in struct wire_superblock */
};

struct pair {
    uint32_t exit, counter;
    uint64_t target; /* avma */
    struct place to;
};

struct cut {
    uint32_t superblock; /* index */
    uint16_t segment, instructions;
};

/* A function with calling contexts. */
struct unit_function {
    uint64_t start; /* avma */
    struct place at;
};

/* A path with a counter of its own. */
struct unit_path {
    uint64_t path;
    uint32_t function, counter;
    bool ticks;
    bool in_node; /* each node of the function has such a counter */
};

struct units {
    struct mappings *mappings;
    bool numbers; /* the tool numbers counters, not the process */
    struct {
        VEC(struct unit_segment);
    } segments;
    struct {
        VEC(struct superblock);
    } superblocks;
    struct {
        VEC(struct wire_payload);
    } payload; /* of all superblocks */
    struct {
        VEC(struct pair);
    } pairs;
    struct {
        VEC(struct cut);
    } cuts;
    struct unit_abandoned {
        VEC(struct place);
    } abandoned; /* where control arrived and nothing ran */
    struct unit_paths {
        VEC(struct unit_path);
    } paths;
    struct unit_functions {
        VEC(struct unit_function);
    } functions; /* function number n is at n - 1 */
    struct {
        VEC(int32_t);
    } owner; /* superblock of each exit id, or UNIT_NONE */
    struct {
        VEC(struct wire_segment);
    } entry;             /* scratch: the entry being read */
    uint64_t counters;   /* above all that are named */
    uint64_t bytes_read; /* of the section */
    uint64_t maps_wanted;
    uint64_t garbled; /* entries left out */
    bool broken;
};

void units_init(struct units *units, struct mappings *mappings);
void units_release(struct units *units);

/* Reads what was published since the last call: `bytes` of the section in all. True: the next entry
 * was translated when the maps section had maps_wanted bytes. Read those first, then call again. */
bool units_read(struct units *units, const void *section, uint64_t bytes);

/* Adds a pair for a process that does not publish them. It gets a counter if the tool numbers
 * counters. False: there is no such indirect exit. */
bool units_pair_add(struct units *units, uint32_t exit, uint64_t target);

/* Index of the superblock that owns the exit id, or UNIT_NONE. */
static inline int32_t units_owner(const struct units *units, uint32_t exit)
{
    return exit < units->owner.n ? units->owner.at[exit] : UNIT_NONE;
}

/* The last segment that ran when the superblock was left by its exit number `j`. */
static inline uint32_t superblock_last_segment(const struct superblock *superblock, uint32_t j)
{
    return j < superblock->n_segments ? j : superblock->n_segments - 1;
}

/* The last instruction of a segment, which must have one. */
static inline struct place segment_last(const struct unit_segment *segment)
{
    return (struct place){segment->at.module,
                          {segment->at.address.v + segment->bytes - segment->last_bytes}};
}

/* The edge at the end of a segment. False: no instruction of it makes one, at SEGMENT_STOP and at
 * an empty SEGMENT_SPLIT, whose edge belongs to the branch before it. */
static inline bool segment_edge(const struct unit_segment *segment, enum edge_kind *ret_kind)
{
    static const enum edge_kind kinds[] = {
        [SEGMENT_COND] = EDGE_TAKEN,  [SEGMENT_JUMP] = EDGE_JUMP,
        [SEGMENT_CALL] = EDGE_CALL,   [SEGMENT_IJUMP] = EDGE_IJUMP,
        [SEGMENT_ICALL] = EDGE_ICALL, [SEGMENT_RETURN] = EDGE_RETURN,
        [SEGMENT_SPLIT] = EDGE_SPLIT, [SEGMENT_SYSCALL] = EDGE_SYSCALL};
    if (segment->end == SEGMENT_STOP || !segment->instructions)
        return false;
    *ret_kind = kinds[segment->end];
    return true;
}

/* The address after a segment. */
static inline struct place segment_next(const struct unit_segment *segment)
{
    return (struct place){segment->at.module, {segment->at.address.v + segment->bytes}};
}
