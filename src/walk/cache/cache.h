/* The code cache: copies of superblocks, found by program counter; their code in zones near the
 * code they copy; the links between them. One for all threads of a process.
 *
 * A zone is mapped twice, once writable and once executable, never both. Code is only appended;
 * cache_flush drops all of it at once, when no thread runs in it. Exit ids are never reused, so
 * records made before a flush keep their meaning.
 *
 * Threads run translated code and look copies up without a lock; every change of the cache is made
 * under it. What is published (an index slot, a link, a landing) is one aligned store, made after
 * everything that it leads to is written. */
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
    CACHE_SAMPLED = 9 << 12, /* when sampling: keeps the agent at about 32 MiB */
    CACHE_EXITS = 1 << 20,
    CACHE_WORDS = 1 << 21, /* words of payloads; their kinds are kept */
    CACHE_COPIES = 2,      /* of the same plain code, with different debts */
    CACHE_VISITS = 4,      /* until a copy with the right guess is worth making */
    CACHE_GUESSES = 8,     /* of the same code, with different guesses (emit/guess.h) */
    CACHE_KNOWN = 8,       /* of the same counting code, which know the plan's register */
    CACHE_INDEX = 1 << 18, /* hash slots, a power of two above CACHE_SUPERBLOCKS */
    CACHE_STRETCH = 12,    /* a zone's code is found by stretches of so many bits */
};

#define GUESS_ELSEWHERE INT64_MIN

struct copied_block {
    uint64_t pc;    /* avma of the program's first instruction */
    uint64_t code;  /* where its code begins; with lands: where branches land */
    uint64_t entry; /* where it runs from */
    uint32_t first_exit, counter;
    uint32_t
        older; /* number + 1 of another copy of the same code, with another debt or path; 0: none */
    uint32_t guard; /* emit/guards.h; 0: its code does not change */
    uint32_t root;  /* of a guarded one: number of the first copy of the same code */
    uint32_t code_bytes;
    uint32_t before; /* number + 1 of the copy before it in its zone; 0: none */
    uint16_t body;   /* of a guarded one: offset of the code that runs after its guard */
    uint16_t site;
    int16_t debt;    /* plain: walk/emit/exits.h */
    uint8_t flavour; /* enum flavour */
    uint8_t max_segments;
    uint8_t copies;      /* so far */
    bool lands : 1;      /* its code begins with a landing */
    bool landed : 1;     /* indirect branches find it; under the lock */
    bool flags_free : 1; /* count: at its entry no flag is live but the carry flag */
    bool unbound : 1;    /* it ends in a jump that the loader has not bound yet: not linked */
    bool stale;      /* its guard found other bytes: it is no longer found and never runs again */
    uint8_t guessed; /* with a guess: its exit is so many behind the first */
    struct plan_path path; /* count: what is known of the plan's register at its entry */
    uint64_t guess;        /* where its return probably goes (emit/guess.h); 0: none */
    int64_t guess_at; /* where that is on the stack, from %rsp at its entry; or GUESS_ELSEWHERE */
};
_Static_assert(sizeof(struct copied_block) == 96, "programs have tens of thousands");

/* What is looked for, and how it was reached: decides how it is translated. */
struct wanted {
    uint64_t pc;
    enum flavour flavour;
    uint32_t max_segments; /* at most */
    bool lands;            /* reached by an indirect branch: it gets a landing of its flavour */
    bool owes;             /* plain, reached by a direct exit, which has not paid for `owed` */
    int32_t owed;
    uint64_t sp;           /* the program's stack pointer there; 0: not known */
    uint8_t visits;        /* of the direct exit that leads there: struct exit */
    struct plan_path path; /* count: what is known of the plan's register at its entry */
};

struct cache {
    struct regions *regions;
    struct tables *tables;
    struct unit_log units;
    struct guards *guards;     /* NULL: code that may change is refused */
    struct witness *witness;   /* of the code that has copies; NULL: changes of code are reported */
    bool rotates;              /* the CPU has rorx */
    bool whole;                /* exact runs: system calls are part of them */
    bool tallies;              /* samples: plain code counts, too */
    uint32_t n_kept;           /* counters 1 to this belong to a plan */
    struct plan *plan;         /* what counting code does besides; NULL: nothing */
    struct contexts *contexts; /* calling contexts; NULL: none */
    uint32_t events;           /* EVENTS_: what windows record besides exits */
    bool keeps_words;          /* the process itself needs the kinds of words (--compress) */

    struct zones zones;

    struct gate gate;    /* threads in the cache, and the lock for changes */
    uint32_t generation; /* incremented when copies are dropped: exits from before are not linked
                            any more */
    uint32_t most;       /* superblocks at a time */
    uint32_t n_superblocks, n_exits, exit_base, n_sites, n_fans, n_words;
    bool full;    /* no room for a translation: flush when possible */
    bool waiting; /* what was found last has a wrong guess: its exit is not linked yet */
    uint64_t flushes, translated, translate_ticks; /* for the channel's figures */
    uint64_t aborts; /* copies of xbegin, each of which aborts at once */
    struct ahead blocks_ahead, exits_ahead, counters_ahead;
    struct payload payload; /* scratch too */
    struct shape shape;     /* scratch of the translator */
    _Alignas(64) uint8_t scratch[2 * TRANSLATION_BYTES_MORE];
    uint32_t index[FLAVOURS][CACHE_INDEX]; /* superblock number + 1 */
    /* number + 1 of the last copy that begins in each stretch of a zone; 0: none */
    uint32_t stretches[ZONES_MAX][ZONE_BYTES >> CACHE_STRETCH];
    struct copied_block superblocks[CACHE_SUPERBLOCKS];
    struct exit exits[CACHE_EXITS];
    uint8_t
        words[CACHE_WORDS]; /* enum payload_kind of the first word of each item; 0: further words */
};

/* The struct must be zeroed, sparsely mapped memory; arena is ZONES_ARENA_BYTES of shared memory,
 * so that zones can be aliases of it. False: no room for the tables. */
bool cache_init(struct cache *cache, struct regions *regions, uint8_t *arena);

/* A whole run follows: thousands of superblocks within milliseconds. */
void cache_expect_all(struct cache *cache);
/* In a fork, with no thread in the cache: flushes it and gives it an arena of its own. The parent's
 * zones are unmapped. */
void cache_rehouse(struct cache *cache, uint8_t *arena);
/* Unmaps everything, with the arena; no thread may be in the cache. */
void cache_unmap(struct cache *cache);

/* The copy for pc with at least so many segments allowed, whatever it knows of a plan's register;
 * NULL: none. Needs no lock. */
struct copied_block *cache_find(struct cache *cache, enum flavour flavour, uint64_t pc,
                                uint32_t max_segments);

/* ---- all below: under the lock */

/* The copy, translated now if necessary. NULL: *ret_refusal says why (enum loss). */
struct copied_block *cache_get(struct cache *cache, const struct wanted *wanted,
                               uint32_t *ret_refusal);
/* From now on this exit goes straight to the copy. `lazy`: its branch was taken for the first time,
 * and the code of its work must still be written. */
void cache_link(struct cache *cache, uint32_t exit, bool lazy, const struct copied_block *to);
/* From now on indirect branches of this flavour to its pc find the copy. */
void cache_land(struct cache *cache, struct copied_block *to);
/* Assigns a counter to a counted site (an exit id) and its target. This first passage, which no
 * landing has seen, is counted in the context. 0: no room. */
uint32_t cache_pair(struct cache *cache, struct context *context, uint32_t exit, uint64_t target);
/* As cache_land for one counted site; the (site, target) gets its counter. */
void cache_land_site(struct cache *cache, struct context *context, uint32_t exit,
                     const struct copied_block *to);

/* The transfer from an indirect branch, or from a return (0), to its target; 0: none. */
uint32_t cache_transfer(struct cache *cache, uint64_t from, uint64_t to);
/* Publishes new functions. */
void cache_publish(struct cache *cache);

/* Drops all copies, because code has changed: none is found or landed at any more. Threads may
 * still be in them. */
void cache_forget(struct cache *cache);
/* The same, and their room is free again: no thread may be in them. */
void cache_flush(struct cache *cache);

/* ---- without the lock again */

struct exit *cache_exit(struct cache *cache, uint32_t exit);
/* A guarded copy is about to run: the address of its code, or 0 if the program's code has changed.
 */
uint64_t cache_pass(struct cache *cache, uint32_t number);
/* The guard in a copy's code found a difference or a fault: from now on it leads to the copy that
 * replaces it, by way of the first copy. So code that changes a thousand times is not reached
 * through a thousand guards. Under the lock. */
void cache_lead(struct cache *cache, uint32_t number, const struct copied_block *to);
/* True if cache_pc is in the guard of a copy; its number. */
bool cache_guards_at(struct cache *cache, uint64_t cache_pc, uint32_t *ret_number);
/* Guarded copies of code in these bytes never run again: the program has unmapped them, or may not
 * execute them any more. All others stay. Under the lock; other threads may be in the cache. */
void cache_spoil(struct cache *cache, uint64_t start, uint64_t bytes);
/* The same for guarded copies of what is not in the cache's regions any more. */
void cache_sift(struct cache *cache);
bool cache_contains(const struct cache *cache, uint64_t pc);

/* The program instruction that the code at a cache pc belongs to, when it faulted there. */
struct location {
    uint64_t pc;
    uint32_t in_slot;      /* IN_SLOT_ */
    struct plan_path path; /* count: what its code knew of the register */
    const struct copied_block *superblock;
    uint16_t segment,
        instructions; /* whole segments that ran before it, and instructions of its own */
};
/* Takes the lock itself. */
bool cache_locate(struct cache *cache, uint64_t cache_pc, struct location *ret);
/* The same for the last instruction of an exit's superblock, which is stepped or a system call.
 * False: the copy is gone. */
bool cache_locate_last(struct cache *cache, uint32_t exit, struct location *ret);
