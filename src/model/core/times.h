/* What the core is given of one execution of an instruction, and the times of its stages that it
 * gives back. Times are cycles from the core's start. */
#pragma once

#include "wire/address.h"

#include <stdbool.h>
#include <stdint.h>

/* What is different about an execution that asks what would be. Predictors, caches and queues learn
 * from it all the same: only its own time changes. */
enum core_change {
    CHANGE_PREDICTED = 1 << 0, /* the branch is predicted right */
    CHANGE_NEAR = 1 << 1,      /* its lines and its page are in the first level */
    CHANGE_FORWARDED = 1 << 2, /* the load gets its value from the store queue */
    CHANGE_TURNED = 1 << 3,    /* the branch falls through to its target, and jumps to what was
                                * behind it */
};

/* What this execution of an instruction did. */
struct core_fact {
    struct avma at;      /* the instruction */
    struct avma next;    /* the one that ran after it */
    struct avma address; /* of its memory operand, if it has one */
    uint64_t physical;   /* where that is; 0: as if nothing were mapped twice */
    uint8_t value_bits;  /* of a division: of the quotient; 0: not known, some are assumed */
    bool taken;          /* of a branch */
    uint8_t changes;     /* enum core_change */
};

enum core_event {
    CORE_L1D_MISS = 1 << 0,
    CORE_L2_MISS = 1 << 1,
    CORE_L3_MISS = 1 << 2,
    CORE_DTLB_MISS = 1 << 3,
    CORE_L1I_MISS = 1 << 4,
    CORE_ITLB_MISS = 1 << 5,
    CORE_OPCACHE_MISS = 1 << 6,
    CORE_MISPREDICT = 1 << 7,
    CORE_NEW_TARGET = 1 << 8, /* taken, and fetch did not know where to */
    CORE_FORWARDED = 1 << 9,  /* a load took the value of a store in flight */
    CORE_FORWARD_FAIL = 1 << 10,
    CORE_TAKEN = 1 << 11,
    CORE_SYNONYM = 1 << 12, /* a line that has had two names: its page is mapped twice */
};

/* What dispatch waited for, of all that it needs room in: the one that had it last. */
enum core_wait {
    WAIT_NONE,  /* it had room at once */
    WAIT_ALONE, /* for one that runs alone, or runs alone itself */
    WAIT_ROB,
    WAIT_LOADS,
    WAIT_STORES,
    WAIT_REGISTERS,
    WAIT_SCHEDULER,
    CORE_WAITS
};

struct core_times {
    uint64_t fetch;
    uint64_t dispatch; /* renamed, in the reorder buffer and a scheduler */
    uint64_t ready;    /* all that its last operation waits for is there */
    uint64_t issue;
    uint64_t complete; /* could retire from here on */
    uint64_t retire;
    uint64_t load_issue, load_complete; /* 0: it loads nothing */
    uint64_t redirect;                  /* of a wrong guess: fetch goes on there; else 0 */
    struct avma guess; /* of a wrong guess at an indirect target or a return; 0: none was made */
    uint32_t events;   /* enum core_event */
    uint8_t wait;      /* enum core_wait */
    bool rides; /* it took no slot: another has it along, fused with it or as what does nothing */
    uint32_t unit; /* the port that its first operation took, or its load, + 1; 0: none */
};
