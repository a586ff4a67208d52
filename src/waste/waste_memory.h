/* Memory as a thread's own instructions made it: who wrote each byte last, who read it since, and
 * what is there, as far as that is known.
 *
 * A store is dead when the last of its bytes is overwritten and nothing read any of them. A load is
 * redundant when one earlier load got all its bytes, and nothing was written to them since; if both
 * values are known, they must be equal. A store is silent when all its bytes are known, and were
 * there before. A store that ends a dead one is not silent besides: they are one piece of waste.
 *
 * `quiet` accesses (atomic ones) count as used by others, and end what was known. So does an access
 * to memory that others share (waste_access.shared) for stores: who reads them is not known. */
#pragma once

#include "waste/waste_found.h"

enum { WASTE_GRAIN = 8, WASTE_GRAINS_MAX = 1 << 21 };

/* Eight bytes of memory. */
struct waste_grain {
    uint64_t number; /* address / 8 */
    uint32_t slot;   /* that has it */
    uint8_t known;   /* a bit each: its value */
    uint8_t value[WASTE_GRAIN];
    uint64_t stored;              /* position of the last store; 0: none */
    uint32_t reader[WASTE_GRAIN]; /* events of the last loads since; 0: none */
    uint32_t writer[WASTE_GRAIN]; /* events; 0: none */
};

/* Grains lie in the order in which they were first touched, and slots only number them: what a
 * window touches is then fetched in a row, and not from anywhere in memory that went cold since the
 * window before. */
struct waste_memory {
    struct waste_events *events;
    struct waste_listener *listener;
    struct waste_grains {
        VEC(struct waste_grain);
    } grains;
    uint32_t *slots; /* a hash table of numbers of grains, from 1 on; 0: free */
    uint32_t room;   /* slots: a power of two */
    uint64_t era;    /* times that all was forgotten */
    uint64_t full;   /* times that there were too many, and all was forgotten */
};

struct waste_access {
    struct waste_site site;
    uint64_t position;
    uint64_t address, bytes;
    const uint8_t *value; /* NULL: not known */
    bool quiet, shared;
    uint32_t copied; /* of a load: an event whose bytes may only be copied by it; 0: none */
    bool hidden;     /* part of a call, push, pop or return: never a finding itself */
};

void waste_memory_init(struct waste_memory *memory, struct waste_events *events,
                       struct waste_listener *listener);
void waste_memory_release(struct waste_memory *memory);
/* What comes may find anything: nothing that is known holds any more. Events are void. */
void waste_memory_forget(struct waste_memory *memory);

void waste_memory_load(struct waste_memory *memory, const struct waste_access *access);
/* The event of the bytes, if one wrote all of them; else 0. */
uint32_t waste_memory_writer(const struct waste_memory *memory, uint64_t address, uint64_t bytes);
/* What bytes are, as one word: by their value (ret_known), or else by when they were stored, since
 * what is known was forgotten last. Stores behind the position do not count. */
uint64_t waste_memory_state(const struct waste_memory *memory, uint64_t address, uint64_t bytes,
                            uint64_t position, bool *ret_known);
/* Returns the store's event; 0: it has none. */
uint32_t waste_memory_store(struct waste_memory *memory, const struct waste_access *access);
