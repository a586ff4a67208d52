/* What was seen: edges, straight runs and interrupted places, with the sums that estimates and
 * their intervals need. One type for exact, sampled and plain recordings.
 *
 * Units. In an exact profile `count` is executions and all else is 0. In a sampled one every window
 * is normalised by its own length and stands for the time between samples: a key seen k times in a
 * window of N instructions that stands for W gets W k / N, as an integer in units of 2^-UNIT_BITS
 * ns. Added up as they are, windows weigh time, however densely each thread was sampled; each
 * multiplied by its rate (instructions per tick in its trail), they weigh executions. Integers, so
 * that merging is exact and associative.
 *
 * Batches. Walks close in time are correlated, so the unit of variance is a batch of walks. Per key
 * we keep the sum y, the sum of y^2 and the sum of y*x over batches, x being the batch's total:
 * what a ratio estimator's variance needs.
 *
 * Time. Inside a window every instruction weighs the same, however long it took. Where time goes is
 * told by the interrupts alone: each adds the time since the one before it to the place that it
 * interrupted, in stacks (profile/stacks.h) of a thread and that place.
 *
 * A plain profile has stacks and nothing in the other tables. Its samples are
 * counted as totals.interrupts, and totals.time is the weight of those that were not in the kernel.
 */
#pragma once

#include "base/map.h"
#include "base/memory.h"
#include "base/vec.h"
#include "profile/names.h"
#include "profile/sample_list.h"
#include "profile/stacks.h"
#include "profile/sums.h"
#include "profile/threads.h"
#include "profile/windows.h"
#include "wire/address.h"
#include "wire/losses.h"

#include <stdbool.h>
#include <stdint.h>

/* Small periods must not drown in rounding, and days of CPU time must not overflow. */
enum { UNIT_BITS = 2, RATE_BITS = 12 };
/* Runs of loops are looked for in one window of so many, and weigh as many times as much. */
enum { TRIPS_EVERY = 16 };
/* Paths are looked for in one part of so many of each. */
enum { PATHS_PART = 2 };
/* Of paths that were gone one after the other so many are known as a series, at most. */
enum { SERIES_PATHS = 4 };

enum profile_mode { PROFILE_EXACT, PROFILE_SAMPLED, PROFILE_PLAIN };

/* How control went from one instruction to another. TAKEN and FALL are the two ways of a
 * conditional branch; SPLIT is no branch at all (a run was cut between two instructions). RETURN is
 * an arrival: its `from` is not kept and is {MODULE_NONE, 0}. */
enum edge_kind {
    EDGE_TAKEN,
    EDGE_FALL,
    EDGE_JUMP,
    EDGE_SPLIT,
    EDGE_IJUMP,
    EDGE_CALL,
    EDGE_ICALL,
    EDGE_RETURN,
    EDGE_SYSCALL, /* past a system call instruction */
    EDGE_KINDS
};

#define MODULE_NONE UINT32_MAX

struct module {
    /* "[vdso]", "[jit]", "[kernel]", "[unknown]" for what has no file. The last three have
     * addresses as they were in memory; a "[jit]" has its process as build-id: see
     * profile_module_jit. */
    char *path;
    uint8_t build_id[20];
    uint32_t build_id_bytes; /* 0: none */
};

/* Keys: no padding, compared by bytes. Addresses are svma.v of the module. Only the from of an edge
 * may be in MODULE_NONE. */
struct edge_key {
    uint32_t from_module, to_module;
    uint64_t from, to; /* last instruction of the source; first of the target */
    uint64_t kind;     /* enum edge_kind */
};
struct range_key {
    uint32_t module, instructions;
    uint64_t start, last; /* first and last instruction: executed in a row, nothing left out */
};

/* How much of a loop's run the window saw it in has. */
enum trip_how {
    TRIP_WHOLE,  /* all of it */
    TRIP_OPEN,   /* its beginning: the window ended first */
    TRIP_LATE,   /* its end: it had begun before the window */
    TRIP_INSIDE, /* neither */
    TRIP_HOWS
};

/* Runs of a loop: from the arrival in it up to leaving it. */
struct trip_key {
    uint32_t module, how; /* how: enum trip_how */
    uint64_t head;        /* where its backward jumps lead */
    uint64_t n; /* iterations that were seen, one more than backward jumps; see trip_bin */
};

/* The smallest number of iterations that counts as this one. Below 64 every number is its own; from
 * there on there are 16 steps from one power of two to the next. */
static inline uint64_t trip_bin(uint64_t n)
{
    int drop = n >= 64 ? 63 - __builtin_clzll(n) - 4 : 0;
    return n >> drop << drop;
}

/* The largest; n is the smallest. */
static inline uint64_t trip_bin_last(uint64_t n)
{
    int drop = n >= 64 ? 63 - __builtin_clzll(n) - 4 : 0;
    return n + ((uint64_t)1 << drop) - 1;
}

/* What a row of paths tells. Numbers are those of paths/number.h. */
enum path_kind {
    PATH_RAN, /* the path: how often it was walked to its end, and the ticks that took */
    /* path: how many paths the function has; whoever numbers it otherwise cannot read them; time:
       instructions that ran along them */
    PATH_FUNCTION,
    /* The path, of whose passages some were measured, in bursts: how many, and their ticks;
       PATH_RAN has none then. */
    PATH_MEASURED,
    PATH_LOOKED, /* looks at the clock that ended a part of them; over bursts, the sum of ticks^2 /
                    n */
    PATH_BURSTS,
    /* What a model of a core says of the path: loads and stores that missed the first cache, wrong
     * guesses, cycles in which nothing retired. With function 0: of what is on no path, or on one
     * that has no beginning or no end. */
    PATH_MODELLED_L1D,
    PATH_MODELLED_MISPREDICTS,
    PATH_MODELLED_STALLS,
    PATH_KINDS
};

struct path_key {
    uint32_t module, kind; /* enum path_kind */
    uint64_t function;     /* where it is entered */
    uint64_t path;
};

/* What an instruction had to do with a value: kind is one of payloads (wire/payload.h), register
 * included. VALUE_ALL: the row is of all that the place was seen with, whatever the value;
 * VALUE_STRIDE: of differences of addresses, each from the one before of the same place. A value
 * that is an address of a module is told as that. `caller`: where the function was to return to, if
 * places are told apart by it. `count` is how often, in 2^-VALUE_BITS; in batches `time` is the
 * root of this and of all, multiplied, so that the sum of its squares is how the two vary together;
 * of the row of all, in how many windows the place was seen. */
struct value_key {
    uint32_t module, kind;
    uint64_t address, value;
    uint32_t to, caller_module; /* MODULE_NONE: the value is a number; the caller is not known, or
                                   nobody asked */
    uint64_t caller;
};
enum {
    VALUE_BITS = 4,
    VALUE_DETAIL_SHIFT = 8,
    VALUE_ALL = 1 << 16,
    VALUE_STRIDE = 1 << 17,
    VALUE_KINDS = 1 << 18
};

static inline uint32_t value_kind(uint32_t payload_kind, uint32_t detail)
{
    return payload_kind | (detail & 0xff) << VALUE_DETAIL_SHIFT;
}

/* Where what a load wanted was, as told by how long it took (values/latency_scale.h); the last:
 * longer than memory takes, so something came in between. */
enum latency_bin { LATENCY_NEAR, LATENCY_L3, LATENCY_MEMORY, LATENCY_LONGER, LATENCY_BINS };

/* Timed loads of an instruction: `count` is how many of them, `time` their TSC ticks in all,
 * without what the timing itself takes. data: the cache line that they were of, as an address of
 * the process, if it came more than once among the slow ones of a batch; 0: all of the bin;
 * LATENCY_SQUARES: `time` is the sum of the squares of its ticks, `count` 0. */
enum { LATENCY_SQUARES = 1 };
struct latency_key {
    uint32_t module, bin; /* enum latency_bin */
    uint64_t address, data;
};

/* What a model of a core told of an instruction (model/replay/account.h), all executions together:
 * `count` is how much. detail tells more. */
enum modelled_kind {
    MODELLED_RETIRED,
    MODELLED_ABORTED, /* on the wrong way */
    MODELLED_TIME,  /* in 1/ACCOUNT_UNIT cycles; enum account_state, and in the bits from 8 on what
                       happened (enum core_event) */
    MODELLED_STAGE, /* cycles; enum account_stage */
    MODELLED_LOADS, /* of which STAGE_LOAD is */
    MODELLED_EVENT, /* how often; the number of its bit */
    MODELLED_WAIT,  /* cycles; where who made what it waited for is, in the same module; UINT64_MAX:
                       elsewhere */
    MODELLED_WAITS, /* how often it waited */
    MODELLED_NEARBY, /* issued around it */
    MODELLED_SLOTS,  /* 0 executions that hit, thrown away or not, 1 cycles they were under way, 2
                        others issued meanwhile; 3 to 5 of those that missed */
    MODELLED_KINDS
};
struct modelled_key {
    uint32_t module, kind; /* enum modelled_kind */
    uint64_t address, detail;
};

/* What two accesses to memory, close to each other, can do to each other; or one alone. */
enum conflict_type {
    CONFLICT_EXECUTED, /* no conflict: how often the place was looked at; `time`: in how many
                          windows */
    CONFLICT_FORWARD,  /* a load of bytes of which only some are those of an earlier store */
    CONFLICT_ORDER,    /* a load that can overtake the store whose bytes it wants */
    CONFLICT_ALIAS,    /* a load behind a store to an address that is alike in its low 12 bits */
    CONFLICT_LINE,     /* an access to two cache lines, */
    CONFLICT_PAGE,     /* to two pages */
    CONFLICT_FALSE_SHARING, /* of one cache line by two threads that have no byte in common */
    CONFLICT_SHARING,       /* that have */
    CONFLICT_TYPES
};
/* How many instructions lie between the two, at most; nothing further apart is looked for. */
#define CONFLICT_DISTANCES                                                                         \
    {                                                                                              \
        16, 32, 64, 128, 224, 512                                                                  \
    }
enum { CONFLICT_CLASSES = 6, CONFLICT_CLASS_SHIFT = 8 };

/* Two places, the earlier first; or the same twice. `count` is how often, `time` the sum of
 * distances in instructions. */
struct conflict_key {
    uint32_t from_module, to_module;
    uint64_t from, to;
    uint64_t kind; /* enum conflict_type, and in the next byte the class of the distance */
};

/* One table of keys with their sums; index i of the map owns at[i]. */
struct table {
    struct map keys;
    VEC(struct sums);
};

/* All tables, in the order of the file; those of a profile and of a batch have names, too. A new
 * one is a line here, its key, its names, its chunk (chunk.h), and what its rows are (row.c). */
enum profile_table {
    TABLE_EDGES,
    TABLE_RANGES,
    TABLE_TRIPS,
    TABLE_PATHS,
    TABLE_VALUES,
    TABLE_LATENCIES,
    TABLE_MODELLED,
    TABLE_CONFLICTS,
    TABLES
};

size_t profile_key_bytes(enum profile_table table);

struct totals {
    uint64_t batches, windows, interrupts;
    uint64_t instructions;       /* recorded: inside windows, or counted exactly */
    uint64_t time, count;        /* x summed: what windows stand for, and weighted by rates */
    u128 time_xx, count_xx;      /* x^2 summed over batches */
    uint64_t user_ns, kernel_ns; /* CPU time of the recorded threads */
    uint64_t
        user_ticks; /* the same in TSC ticks, stretched by what trails cost beyond native code */
    uint64_t agent_ns, tool_ns;   /* what gait itself used, as it measured it */
    uint64_t off_ns;              /* threads alive but not running */
    uint64_t samples, sampled_ns; /* of a sampled profile: what its stacks add up to */
    u128 sampled_xx;              /* their squares summed: how much they differ; 0: not known */
    uint64_t complete_ns;         /* of sampled_ns: what samples with a complete window stand for */
    uint64_t delivery_ns, translate_ns; /* of agent_ns: interrupts, and copying code */
    /* Of walked runs: CPU time of the whole program, what was not recorded too; 0: not known. */
    uint64_t whole_user_ns, whole_kernel_ns;
    uint64_t walked_ns;  /* of agent_ns: what the program would have needed by itself */
    uint64_t once_ns;    /* of tool_ns: start-up, and what is done once at the end */
    uint64_t recordings; /* that were merged; 0: it is one */
    uint64_t losses[LOSS_N];
};

/* What is known of the recording beside its counts: tool version, machine, trigger and the like. */
struct fact {
    char *key, *value; /* no '=' in the key; see profile_fact */
};
/* They are for people, too: what there may be thousands of is noted up to this many facts, and then
 * counted as fact_lost. */
enum { PROFILE_FACTS_NOTED = 256 };

/* A loss that a newer gait counted and this one has no name for: kept, merged, shown. */
struct other_loss {
    const char *name;
    uint64_t n;
};

struct batch_sink;

struct profile {
    enum profile_mode mode;
    bool complete;          /* the recording was closed properly */
    char *command;          /* as typed, shell-quoted; after a merge one a line, sorted */
    char *warning;          /* NULL, or what profile_read found wrong with the file */
    bool damaged;           /* its bytes have changed; a file that was cut off is not damaged */
    bool ruined;            /* and nothing is left that was counted */
    uint64_t start_unix_ns; /* 0: not known */
    struct arena arena;
    struct modules {
        VEC(struct module);
    } modules;
    struct map module_keys; /* finds modules by the hash of their path and build-id */
    struct facts {
        VEC(struct fact);
    } facts; /* sorted by key, then value; no pair twice */
    union {
        struct table tables[TABLES];
        struct {
            struct table edges, ranges, trips, paths, values, latencies, modelled, conflicts;
        };
    };
    struct stacks stacks;
    /* Straight runs of code in their calling contexts, as walks went them: below the root, which is
     * no thread, the places of the calls, outermost first, as return addresses less one; then the
     * run's first instruction, and its last, a branch that was taken. Weights are those of counts.
     */
    struct stacks passages;
    /* Paths that one activation of a function went one after the other. Below the root are
     * functions by their entries, below these the numbers of paths, in the module of the function,
     * each series from its first path on. A node of two paths or more weighs how often it was gone,
     * whatever came next; in a sampled profile batches are dealt out to groups, and the root weighs
     * what all of them weighed. */
    struct stacks series;
    /* Paths through functions in their calling contexts, of an exact profile: a context as in
     * `stacks`, down to the start of its function, and below it the number of the path as an
     * address; it weighs how often. */
    struct stacks context_paths;
    struct sample_list samples;
    struct windows windows; /* of a sampled profile: courses, to be gone again by a model */
    struct threads threads;
    struct names names;
    struct totals totals;
    struct other_losses {
        VEC(struct other_loss);
    } other_losses;          /* sorted by name */
    struct batch_sink *sink; /* NULL: batches go to the tables above */
};

/* Whether an exact profile counts all of the run that was asked for. */
bool profile_whole(const struct profile *profile);

void profile_init(struct profile *profile);
void profile_release(struct profile *profile);

/* The module's index; equal path and build-id are one module. */
uint32_t profile_module(struct profile *profile, const char *path, const uint8_t *build_id,
                        uint32_t build_id_bytes);

/* The module of code that the process itself made. */
uint32_t profile_module_jit(struct profile *profile, uint32_t pid);

/* Sets one more fact; the same pair twice is one. Keys "mode", "command" and "start_ns" are taken.
 */
void profile_fact(struct profile *profile, const char *key, const char *value);
/* The first value of the key, or NULL. */
const char *profile_fact_find(const struct profile *profile, const char *key);

/* "exact", "sampled", "plain": as in files and JSON. */
const char *profile_mode_name(enum profile_mode mode);

/* The short name and the sentence of wire/losses.h. */
const char *loss_name(enum loss loss);
const char *loss_text(enum loss loss);
/* Adds to a loss by its name, whether this gait knows it or not. */
void profile_loss(struct profile *profile, const char *name, uint64_t n);

/* Empties tables and totals but keeps modules, facts and memory, so that keys made with this
 * profile's module indices stay valid: what a recorder does with a delta it has appended. */
void profile_clear(struct profile *profile);

/* So many rows are likely to come. */
void table_expect(struct table *table, size_t rows);
/* The key's sums, created as zero; the pointer holds until the next call on the same table. */
struct sums *table_at(struct table *table, const void *key);
const struct sums *table_find(const struct table *table, const void *key);

/* Adds `other` into `into`: exact, associative and, in the bytes written, commutative. Sums stop at
 * the maximum of their type and never wrap. Both must be of one mode. */
struct err;
bool profile_merge(struct profile *into, const struct profile *other, struct err *err);
