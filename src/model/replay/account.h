/* Where cycles go, instruction by instruction: a listener of replays that adds up in space that
 * depends on the program's code alone.
 *
 * Time. Every cycle between two retirements belongs to somebody, as an oracle with sight of the
 * whole core would say: if some retire in it, to each an equal part; if the oldest that is in
 * flight could not retire, to that one (it stalls); if nothing is in flight because a guess was
 * wrong, to whose guess it was (it flushed); if nothing is because fetch brought nothing, to the
 * first that comes then (it was drained). Parts are integers, ACCOUNT_UNIT to the cycle, so that
 * all of them together are the cycles: account_sum is the proof. Time is kept by what happened to
 * the instruction (enum core_event) as well: a stack of cycles by events.
 *
 * Slots. While an instruction is under way, from its fetch until it is done, the core could have
 * issued so many others: `span` is how long that took, and `used` how many others were issued
 * meanwhile that retired: without those that take no slot, a branch fused with its comparison, say,
 * of which more can be issued than there are slots. Those that were thrown away count as well, if
 * they were done by then and the replay tells of them (wrong_ways): they were under way, and
 * whoever samples what is fetched samples them. A load is issued when it goes to the cache. Nearby:
 * those issued in ACCOUNT_NEAR cycles around its own issue, if it retires. model/pmu/truth.h counts
 * the same, of records, which do not tell who rides along: there all that were issued took a slot.
 *
 * Waiting. Of instructions that an operand kept from issuing, who made that operand, and how long
 * it took. */
#pragma once

#include "model/replay/replay.h"
#include "wire/u128.h"

enum {
    ACCOUNT_UNIT = 720720, /* every number up to 16 divides it */
    ACCOUNT_NEAR = 32,
    ACCOUNT_SIGNATURES = 8, /* kept apart for an instruction; the lightest go together */
    ACCOUNT_PRODUCERS = 4,
    ACCOUNT_EVENTS = 13,
};

enum account_state {
    ACCOUNT_RETIRES,
    ACCOUNT_STALLS,
    ACCOUNT_FLUSHES,
    ACCOUNT_DRAINED,
    ACCOUNT_STATES
};

/* From one stage to the next; the last is part of others: how long its load took. */
enum account_stage {
    STAGE_FETCH,    /* up to dispatch */
    STAGE_DISPATCH, /* up to ready */
    STAGE_READY,    /* up to issue */
    STAGE_ISSUE,    /* up to complete */
    STAGE_COMPLETE, /* up to retirement */
    STAGE_LOAD,
    ACCOUNT_STAGES
};

/* What happened to it, and the time that goes with that. */
struct account_signature {
    uint32_t events;
    uint32_t state; /* enum account_state */
    uint64_t units;
};
#define SIGNATURE_OTHERS UINT32_MAX /* events, of the last */

struct account_producer {
    uint32_t id; /* REPLAY_NONE: all others */
    uint64_t cycles;
};

/* Slots of those that hit the first cache, or load nothing; and of those that missed. n: retired or
 * thrown away. */
struct account_slots {
    uint64_t n, span, used;
};

struct account_row {
    uint64_t retired, aborted;
    uint64_t units[ACCOUNT_STATES];
    uint64_t stages[ACCOUNT_STAGES];
    uint64_t loads; /* of which STAGE_LOAD is */
    uint64_t events[ACCOUNT_EVENTS];
    uint64_t waits; /* how often an operand was waited for */
    uint64_t nearby;
    struct account_slots slots[2];
    struct account_signature signatures[ACCOUNT_SIGNATURES];
    struct account_producer producers[ACCOUNT_PRODUCERS];
};

/* By the numbers of instructions; of one program, all its threads. */
struct account {
    struct account_rows {
        VEC(struct account_row);
    } rows;
    struct account_touched {
        VEC(uint32_t);
    } touched;             /* rows that are not empty, as they came */
    uint64_t cycles;       /* that were shared out */
    uint64_t instructions; /* that retired */
    uint64_t clipped; /* instructions whose slots were not seen whole: 0, unless one was under way
                         for 2^24 cycles */
};

void account_init(struct account *account);
void account_release(struct account *account);
/* Nothing has been seen yet. */
void account_clear(struct account *account);
/* All time of all rows, in 1/ACCOUNT_UNIT cycles: the cycles times ACCOUNT_UNIT, once all who
 * listen have settled. */
u128 account_sum(const struct account *account);
uint64_t account_row_units(const struct account_row *row);
/* That of an instruction; it may be empty. */
struct account_row *account_row(struct account *account, uint32_t id);

/* What listens to one replay. */
struct account_listener;
struct account_listener *account_listen(struct account *account, struct replay *replay);
/* What is still open is settled: the group that retires last, and who is under way. */
void account_settle(struct account_listener *listener);
void account_listener_free(struct account_listener *listener);
