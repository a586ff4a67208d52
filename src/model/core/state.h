/* What a core remembers between instructions; for the files of core/ only. */
#pragma once

#include "model/core/insn.h"
#include "model/core/model.h"
#include "model/core/times.h"

#include <stdint.h>

/* Cycles ahead of dispatch for which ports and schedulers are kept. What is planned further ahead
 * shares its place with what is a whole turn earlier, and is then taken to be free. */
enum { RING_CYCLES = 4096, RING_MASK = RING_CYCLES - 1 };

/* A queue whose entries are taken in order and given back at a known time: entry i waits for entry
 * i - n. */
struct queue {
    uint64_t *until;
    uint32_t n, at;
};

static inline uint64_t queue_wait(const struct queue *queue)
{
    return queue->until[queue->at];
}
static inline void queue_take(struct queue *queue, uint64_t until)
{
    queue->until[queue->at] = until;
    if (++queue->at == queue->n)
        queue->at = 0;
}

/* At most `width` a cycle, in order. */
struct stage {
    uint64_t cycle;
    uint32_t used, width;
};

/* The cycle in which the next passes, not before `earliest`. */
static inline uint64_t stage_pass(struct stage *stage, uint64_t earliest)
{
    if (earliest > stage->cycle) {
        stage->cycle = earliest;
        stage->used = 0;
    } else if (stage->used == stage->width) {
        stage->cycle++;
        stage->used = 0;
    }
    stage->used++;
    return stage->cycle;
}

/* Nothing more passes in this cycle. */
static inline void stage_shut(struct stage *stage)
{
    stage->used = stage->width;
}

/* Places that are taken at dispatch and given back at issue, in any order. */
struct pool {
    uint64_t cycle; /* all that left up to here is counted */
    uint32_t size, used;
    uint16_t leaves[RING_CYCLES];
};

enum { BANKS = 8, BANK_BITS = 3 };

struct port_cycle {
    uint32_t cycle; /* its low bits: older ones are stale */
    uint32_t busy;
};

/* Loads of each bank of the first cache. Apart from ports: most cores have no such limit, and what
 * is smaller stays nearer. */
struct bank_cycle {
    uint32_t cycle;
    uint8_t loads[BANKS];
};

/* The last store to an 8-byte granule. */
struct stored {
    uint64_t granule;
    uint64_t address;
    uint64_t value;   /* when the register that it stores is there */
    uint64_t data;    /* when the store queue has it */
    uint64_t drained; /* when it is in the cache */
    uint32_t name;    /* of its address, as renaming sees it: the same registers, unchanged, and
                         displacement */
    uint8_t bytes;
    bool stack, indexed;
    bool forwarded; /* a load has taken its value */
};
enum { STORED_LOG2 = 11 };

enum given { GIVEN_ELSE, GIVEN_LOAD, GIVEN_STACK, GIVEN_CHAIN };

struct core {
    const struct model *model;
    uint64_t registers[REGISTER_N]; /* when the value is there */
    uint8_t given[REGISTER_N];      /* enum given: what gave it */
    uint32_t writes[REGISTER_N]; /* how often it was written: tells values of one register apart */
    struct stage fetch, dispatch, stores, retire;
    struct queue opqueue, rob, loads, store_queue, int_results, fp_results;
    struct pool int_pool, fp_pool;
    struct port_cycle ports[RING_CYCLES];
    struct bank_cycle banks[RING_CYCLES];
    uint32_t port_wanted[MODEL_PORTS]; /* lately, by operations that have few other ports */
    uint32_t port_takes;
    uint32_t port; /* that the last operation took */
    struct stored stored[1 << STORED_LOG2];
    uint64_t drained, drain_window; /* the last store that left */
    uint32_t drain_used;
    uint64_t redirect; /* no fetch before it */
    uint64_t alone;    /* no dispatch before it */
    uint64_t last_retire;
    uint64_t last_issue; /* of the operation before, in program order */
    bool fusing;         /* the instruction before can take a branch with it */
    bool carries;        /* it can take one with it that does nothing */
    struct wrong {
        struct stage fetch;
        uint64_t until; /* when the branch was done; 0: its guess was right */
    } wrong;
    struct hierarchy *hierarchy;
    bool stack_moved; /* by push, pop and their like, since the stack pointer was last needed */
    struct predictor *predictor;
    struct front *front;
};
