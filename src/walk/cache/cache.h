/* The code cache: superblocks by program counter, their code in zones near the code they copy, and
 * the links between them. One for all threads of a process.
 *
 * A zone is mapped twice, writable here and executable there, never both. Code is only appended;
 * cache_flush forgets all of it at once, when no thread runs in it. Exit ids are never used twice,
 * so records made before a flush still mean what they meant.
 *
 * Threads run translated code, and look superblocks up, without any lock; whatever changes the
 * cache is done under it. What is published (an index slot, a link, a landing) is one aligned
 * store, made when all it leads to is written. */
#pragma once

#include "walk/base/context.h"
#include "walk/cache/gate.h"
#include "walk/emit/guards.h"
#include "walk/base/region.h"
#include "walk/emit/translate.h"
#include "walk/base/unit_log.h"
#include "walk/cache/witness.h"
#include "walk/cache/zones.h"
#include "wire/channel.h"

enum {
    CACHE_SUPERBLOCKS = 3 << 16,
    CACHE_SAMPLED = 9 << 12, /* the same of samples: keeps the agent at about 32 MiB */
    CACHE_EXITS = 1 << 20,
    CACHE_WORDS = 1 << 21, /* of payloads, whose kinds are kept */
    CACHE_COPIES = 2,      /* of the same plain code, with different debts */
    CACHE_KNOWN = 8,       /* of the same counting code, which know what is in a plan's register */
    CACHE_INDEX = 1 << 18, /* hash slots, a power of two above CACHE_SUPERBLOCKS */
};

struct copied_block {
    uint64_t pc;    /* avma of the program's first instruction */
    uint64_t code;  /* where its code begins; with lands: where it is landed on */
    uint64_t entry; /* where it runs from */
    uint32_t first_exit, counter;
    uint32_t
        older; /* number + 1 of another copy of the same code, with another debt or path; 0: none */
    uint32_t guard; /* guards.h; 0: its code does not change */
    uint32_t code_bytes;
    uint16_t
        body; /* of a guarded one: behind code, what runs when its entry's question is answered */
    uint16_t site;
    int16_t debt;    /* plain: walk/emit/exits.h */
    uint8_t flavour; /* enum flavour */
    uint8_t max_segments;
    uint8_t copies;  /* so far */
    bool lands : 1;  /* its code begins with a landing */
    bool landed : 1; /* indirect branches find it; guarded by the lock */
    bool stale; /* its guard found other bytes: it is not found any more, and never runs again */
    struct plan_path path; /* count: what is known of the plan's register at its entry */
};
_Static_assert(sizeof(struct copied_block) == 72, "programs have tens of thousands");

/* What is looked for, and how it was reached: what it is to be like if it must be translated. */
struct wanted {
    uint64_t pc;
    enum flavour flavour;
    uint32_t max_segments; /* at most */
    bool lands;            /* by an indirect branch, to the landings of its flavour */
    bool owes;             /* plain, by a direct exit, which has not paid for `owed` */
    int32_t owed;
    struct plan_path path; /* count: what is known of the register there */
};

struct cache {
    struct regions *regions;
    struct tables *tables;
    struct unit_log units;
    struct guards *guards; /* NULL: code that may change is refused */
    struct witness
        *witness;      /* of the code it has copies of; NULL: somebody tells when that changes */
    bool rotates;      /* the CPU has rorx */
    bool whole;        /* whole runs are walked: system calls are part of them */
    uint32_t n_kept;   /* counters 1 .. this are a plan's */
    struct plan *plan; /* what counting code does besides; NULL: nothing */
    struct contexts *contexts; /* calling contexts; NULL: none */
    uint32_t events;           /* EVENTS_: what windows record besides exits */
    bool keeps_words;          /* somebody here asks what their words are */

    struct zones zones;

    struct gate gate; /* who is in it, and who changes it */
    uint32_t
        generation; /* goes up when superblocks are forgotten: what was to be linked no longer is */
    uint32_t most;  /* superblocks at a time */
    uint32_t n_superblocks, n_exits, exit_base, n_sites, n_fans, n_words;
    bool full; /* translation failed for want of room: flush when it suits */
    uint64_t flushes, translated, translate_ticks; /* for the channel's figures */
    uint64_t aborts;        /* copies of xbegin among them, each of which aborts at once */
    struct payload payload; /* likewise */
    struct shape shape;     /* scratch of the translator */
    _Alignas(64) uint8_t scratch[2 * TRANSLATION_BYTES_MORE];
    uint32_t index[FLAVOURS][CACHE_INDEX]; /* superblock number + 1 */
    struct copied_block superblocks[CACHE_SUPERBLOCKS];
    struct exit exits[CACHE_EXITS];
    uint8_t
        words[CACHE_WORDS]; /* enum payload_kind of the first word of each item; 0: of the others */
};

/* The struct itself must be zeroed, sparsely mapped memory; arena is ZONES_ARENA_BYTES
 * of shared memory, so that zones can be aliases of it. False: no room for the tables. */
bool cache_init(struct cache *cache, struct regions *regions, uint8_t *arena);

/* A whole run is going to be walked: thousands of superblocks within milliseconds. */
void cache_expect_all(struct cache *cache);
/* In a fork, whose only thread is not in the cache: flushed, and with an arena of its own. Zones
 * that were the parent's are unmapped. */
void cache_rehouse(struct cache *cache, uint8_t *arena);
/* Unmaps all that it has mapped, and its arena; nobody may be in it. */
void cache_unmap(struct cache *cache);

/* The superblock for pc with at least so many segments allowed, if it is there; whatever is in a
 * plan's register. Needs no lock. */
struct copied_block *cache_find(struct cache *cache, enum flavour flavour, uint64_t pc,
                                uint32_t max_segments);

/* ---- all below: under the lock */

/* The superblock, translated now if need be. NULL: *ret_refusal says why (enum loss). */
struct copied_block *cache_get(struct cache *cache, const struct wanted *wanted,
                               uint32_t *ret_refusal);
/* From now on this exit goes straight to the superblock. `lazy`: its branch was taken for the first
 * time, and what it does has yet to be written. */
void cache_link(struct cache *cache, uint32_t exit, bool lazy, const struct copied_block *to);
/* From now on indirect branches of this flavour to its pc find the superblock. */
void cache_land(struct cache *cache, struct copied_block *to);
/* A counter for a counted site, by exit id, and where it went: this once, which no landing has
 * seen, is counted in the context. 0: no room. */
uint32_t cache_pair(struct cache *cache, struct context *context, uint32_t exit, uint64_t target);
/* As cache_land for one counted site; the (site, target) gets its counter. */
void cache_land_site(struct cache *cache, struct context *context, uint32_t exit,
                     const struct copied_block *to);

/* The transfer from a computed branch, or from a return (0), to where it led; 0: it is none. */
uint32_t cache_transfer(struct cache *cache, uint64_t from, uint64_t to);
/* Tells the tool of functions that are new. */
void cache_publish(struct cache *cache);

/* Forgets all superblocks, for code that has changed: none is found or landed at any more. Threads
 * may still be in them. */
void cache_forget(struct cache *cache);
/* The same, and their room is free again: no thread may be in them. */
void cache_flush(struct cache *cache);

/* ---- without the lock again */

struct exit *cache_exit(struct cache *cache, uint32_t exit);
/* A guarded superblock is about to run: where its code is, or 0 if it is not the program's any
 * more. */
uint64_t cache_pass(struct cache *cache, uint32_t number);
/* A superblock's own guard, in its code, has found a difference or a fault: from now on that leads
 * to the superblock that is in its place. Under the lock. */
void cache_lead(struct cache *cache, uint32_t number, const struct copied_block *to);
/* Whether that is in the guard of a superblock, and of which. */
bool cache_guards_at(struct cache *cache, uint64_t cache_pc, uint32_t *ret_number);
bool cache_contains(const struct cache *cache, uint64_t pc);

/* Which program instruction the code at a cache pc stands for, when it faulted there. */
struct location {
    uint64_t pc;
    uint32_t in_slot;      /* IN_SLOT_ */
    struct plan_path path; /* count: what its code knew of the register */
    const struct copied_block *superblock;
    uint16_t segment, instructions; /* whole segments run before it, and instructions of its own */
};
/* Takes the lock itself. */
bool cache_locate(struct cache *cache, uint64_t cache_pc, struct location *ret);
/* The same of the last instruction of an exit's superblock, which is stepped or a system call.
 * False: the superblock is gone. */
bool cache_locate_last(struct cache *cache, uint32_t exit, struct location *ret);
