/* What a recording counted: edges, straight runs, stacks, values, and the sums for estimates and
 * their intervals. One type for exact, sampled and plain recordings.
 *
 * Units. In an exact profile `count` is executions and everything else is 0. In a sampled one, each
 * window is normalised by its own length and stands for the time between samples. A key that occurs
 * k times in a window of N instructions that stands for W gets W k / N, an integer in units of
 * 2^-UNIT_BITS ns. The plain sum over windows weighs time, however densely each thread was sampled.
 * With each window multiplied by its rate (instructions per tick in its trail) the sum weighs
 * executions. Integers make merging exact and associative.
 *
 * Batches. Walks close in time are correlated, so a batch of walks is the unit of variance. For
 * each key we keep the sums of y, y^2 and y*x over batches, where x is the batch's total: what the
 * variance of a ratio estimator needs.
 *
 * Time. In a window every instruction weighs the same, however long it took. Only the interrupts
 * show where time goes: each adds the time since the previous one to the interrupted place, in
 * stacks (profile/stacks.h).
 *
 * A plain profile has stacks and no other tables. totals.interrupts counts its samples; totals.time
 * is the weight of samples outside the kernel. */
#pragma once

#include "base/map.h"
#include "base/memory.h"
#include "base/vec.h"
#include "profile/batch_log.h"
#include "profile/kept.h"
#include "profile/names.h"
#include "profile/path_parts.h"
#include "profile/sample_list.h"
#include "profile/stacks.h"
#include "profile/sums.h"
#include "profile/threads.h"
#include "profile/times.h"
#include "profile/windows.h"
#include "wire/address.h"
#include "wire/losses.h"

#include <stdbool.h>
#include <stdint.h>

/* Small periods must not vanish in rounding, and days of CPU time must not overflow. */
enum { UNIT_BITS = 2, RATE_BITS = 12 };
/* One window of so many is searched for runs of loops; they weigh as many times more. */
enum { TRIPS_EVERY = 16 };
/* One part of so many of each window is searched for paths. */
enum { PATHS_PART = 2 };
/* Longest series of successive paths. */
enum { SERIES_PATHS = 4 };

enum profile_mode { PROFILE_EXACT, PROFILE_SAMPLED, PROFILE_PLAIN };

/* Groups of profile->waits. A thread that blocks waits for something; one that was pushed off its
 * CPU is runnable. The rest of a group of WAIT_KIND_GROUPS is free. */
enum wait_weight {
    WAIT_NS,      /* time off the CPU, scaled to all waits */
    WAIT_COUNT,   /* waits, scaled likewise */
    WAIT_LONGEST, /* ns */
    WAIT_SEEN,    /* waits with a stack, not scaled */
    WAIT_KIND_GROUPS,
    WAIT_BLOCKED = 0, /* add one of these */
    WAIT_RUNNABLE = WAIT_KIND_GROUPS,
    WAIT_KINDS = 2
};

/* How control went from one instruction to the next. TAKEN and FALL are the two ways of a
 * conditional branch. SPLIT is no branch: a run was cut between two instructions. RETURN has no
 * source: its `from` is {MODULE_NONE, 0}. */
enum edge_kind {
    EDGE_TAKEN,
    EDGE_FALL,
    EDGE_JUMP,
    EDGE_SPLIT,
    EDGE_IJUMP,
    EDGE_CALL,
    EDGE_ICALL,
    EDGE_RETURN,
    EDGE_SYSCALL, /* to the instruction after a system call */
    EDGE_KINDS
};

#define MODULE_NONE UINT32_MAX

struct module {
    /* "[vdso]", "[jit]", "[kernel]", "[unknown]" for code without a file. The last three have
     * addresses in memory. The build-id of "[jit]" is its process: see profile_module_jit. */
    char *path;
    uint8_t build_id[20];
    uint32_t build_id_bytes; /* 0: none */
};

/* Keys have no padding and are compared by bytes. Only the `from` of an edge may be in MODULE_NONE.
 */
struct edge_key {
    uint32_t from_module, to_module;
    struct svma from, to; /* last instruction of the source; first of the target */
    uint64_t kind;        /* enum edge_kind */
};
struct range_key {
    uint32_t module, instructions;
    struct svma start, last; /* first and last instruction; all between ran in a row */
};
/* Of profile->runs. A branch leads from `start` to `last`; RUN_ELSEWHERE is no instruction of its
 * module. */
#define RUN_BRANCH 0
#define RUN_RAW UINT32_MAX
#define RUN_ELSEWHERE UINT64_MAX
/* Of imported branch records: how the last conditional branches before the branch `at` went, the
 * latest in bit 0; taken is 1. */
enum { TURNS_MOST = 64 };
struct turns_key {
    uint32_t module, n; /* n: how many directions are known, at least one */
    struct svma at;
    uint64_t directions;
};

/* Where code of an exact run was called. `count` is the number of processes that ran it, and
 * `time` the sum over these of its place in the order of first execution, from 1. */
struct first_key {
    uint32_t module, none; /* none: 0 */
    struct svma at;
};

/* Which part of a loop's run is in its window. */
enum trip_how {
    TRIP_WHOLE,  /* all of it */
    TRIP_OPEN,   /* its beginning: the window ended first */
    TRIP_LATE,   /* its end: it began before the window */
    TRIP_INSIDE, /* neither */
    TRIP_HOWS
};

/* Runs of a loop, from entering it to leaving it. */
struct trip_key {
    uint32_t module, how; /* how: enum trip_how */
    struct svma head;     /* target of its backward jumps */
    uint64_t n;           /* iterations: backward jumps plus one; see trip_bin */
};

/* The lower bound of the bin of n iterations. Below 64 each number is a bin; above, there are 16
 * bins per power of two. */
static inline uint64_t trip_bin(uint64_t n)
{
    int drop = n >= 64 ? 63 - __builtin_clzll(n) - 4 : 0;
    return n >> drop << drop;
}

/* The upper bound of the bin with lower bound n. */
static inline uint64_t trip_bin_last(uint64_t n)
{
    int drop = n >= 64 ? 63 - __builtin_clzll(n) - 4 : 0;
    return n + ((uint64_t)1 << drop) - 1;
}

/* Kinds of rows of paths. paths/number.h has the numbers. */
enum path_kind {
    PATH_RAN, /* the path: complete executions, and their ticks */
    /* path: number of paths of the function, to detect another numbering; time: instructions
     * executed along them */
    PATH_FUNCTION,
    /* The path, if only bursts of its passages were timed: their number and ticks. PATH_RAN has no
     * ticks then. */
    PATH_MEASURED,
    PATH_LOOKED, /* clock reads that ended a part of a burst; time: over bursts, the sum of ticks^2
                    / n */
    PATH_BURSTS,
    /* Events of the path in a model of a core: loads and stores that missed L1, mispredicted
     * branches, cycles without retirement. function 0: code on no path, or on one without beginning
     * or end. */
    PATH_MODELLED_L1D,
    PATH_MODELLED_MISPREDICTS,
    PATH_MODELLED_STALLS,
    /* Six more: model_costs.h. */
    PATH_KINDS = PATH_MODELLED_L1D + 9
};

struct path_key {
    uint32_t module, kind; /* enum path_kind */
    struct svma function;  /* its entry */
    uint64_t path;
};

/* A value of an instruction. kind: a payload (wire/payload.h) with its register. VALUE_ALL: the row
 * counts all values of the place. VALUE_STRIDE: differences of successive addresses of the place. A
 * value that is an address in a module is stored as an address of that module (`to`). `caller`: the
 * return address of the function, if callers are kept apart. `count` is the number of times, in
 * 2^-VALUE_BITS. In batches, `time` is the root of this count times the count of all, so that the
 * sum of its squares is their covariance; in the VALUE_ALL row it is the number of windows with the
 * place. VALUE_UNSURE: the row has the threshold of the place's hotlist (hotlist_unsure), if the
 * values came through one (fact `hotlist`). */
struct value_key {
    uint32_t module, kind;
    uint64_t address, value;
    uint32_t to, caller_module; /* MODULE_NONE: a number; caller not known or not asked for */
    uint64_t caller;
};
enum {
    VALUE_BITS = 4,
    VALUE_DETAIL_SHIFT = 8,
    VALUE_ALL = 1 << 16,
    VALUE_STRIDE = 1 << 17,
    VALUE_UNSURE = 1 << 18,
    VALUE_KINDS = 1 << 20 /* bit 19: profile/value_kinds.h */
};

static inline uint32_t value_kind(uint32_t payload_kind, uint32_t detail)
{
    return payload_kind | (detail & 0xff) << VALUE_DETAIL_SHIFT;
}

/* Where a load found its data, by its latency (values/latency_scale.h). The last: slower than
 * memory, so something else interfered. */
enum latency_bin { LATENCY_NEAR, LATENCY_L3, LATENCY_MEMORY, LATENCY_LONGER, LATENCY_BINS };

/* Timed loads of an instruction: `count` loads, `time` their TSC ticks without the cost of timing.
 * data: their cache line, as an address of the process, if it came more than once among the slow
 * loads of a batch; 0: all loads of the bin. LATENCY_SQUARES: `time` is the sum of squared ticks,
 * `count` 0. */
enum { LATENCY_SQUARES = 1 };
struct latency_key {
    uint32_t module, bin; /* enum latency_bin */
    struct svma address;
    uint64_t data;
};

/* What a model of a core measured for an instruction (model/replay/account.h), over all executions:
 * `count` is the amount; detail depends on the kind. */
enum modelled_kind {
    MODELLED_RETIRED,
    MODELLED_ABORTED, /* on a wrong path */
    MODELLED_TIME, /* in 1/ACCOUNT_UNIT cycles; enum account_state, from bit 8 on enum core_event */
    MODELLED_STAGE, /* cycles; enum account_stage */
    MODELLED_LOADS, /* executions that STAGE_LOAD counts */
    MODELLED_EVENT, /* how often; number of the event's bit */
    MODELLED_WAIT,  /* cycles; address in the same module of the producer it waited for; UINT64_MAX:
                       elsewhere */
    MODELLED_WAITS, /* number of waits */
    MODELLED_NEARBY, /* instructions issued around it */
    MODELLED_SLOTS,  /* 0: executions that hit, aborted or not; 1: their cycles in flight; 2: others
                        issued meanwhile; 3 to 5: the same for misses */
    MODELLED_KINDS
};
struct modelled_key {
    uint32_t module, kind; /* enum modelled_kind */
    struct svma address;
    uint64_t detail;
};

/* Conflicts between two nearby memory accesses, or of one access alone. */
enum conflict_type {
    CONFLICT_EXECUTED,      /* no conflict: executions examined; `time`: windows */
    CONFLICT_FORWARD,       /* a load that an earlier store covers only in part */
    CONFLICT_ORDER,         /* a load that may run before the store it depends on */
    CONFLICT_ALIAS,         /* a load after a store with equal low 12 address bits */
    CONFLICT_LINE,          /* an access across two cache lines, */
    CONFLICT_PAGE,          /* across two pages */
    CONFLICT_FALSE_SHARING, /* one cache line, two threads, different bytes */
    CONFLICT_SHARING,       /* common bytes */
    CONFLICT_TYPES
};
/* Upper bounds of the distance classes, in instructions; no conflict is farther apart. */
#define CONFLICT_DISTANCES                                                                         \
    {                                                                                              \
        16, 32, 64, 128, 224, 512                                                                  \
    }
enum { CONFLICT_CLASSES = 6, CONFLICT_CLASS_SHIFT = 8 };

/* Two places, the earlier first, or one twice. `count` is the number of times, `time` the sum of
 * distances in instructions. */
struct conflict_key {
    uint32_t from_module, to_module;
    struct svma from, to;
    uint64_t kind; /* enum conflict_type; from bit 8 on the distance class */
};

/* The same by who called the functions that the two are in: return addresses. A row of CONFLICTS
 * has the sum over all callers. The module of a caller that is not known is MODULE_NONE; where two
 * threads meet, and of CONFLICT_EXECUTED, the first has none. */
struct called_key {
    uint32_t from_module, to_module, from_caller_module, to_caller_module;
    struct svma from, to, from_caller, to_caller;
    uint64_t kind;
};

/* Work that had no effect: two places, the earlier first, and where the functions that they are in
 * were called from. */
enum waste_kind {
    WASTE_LOOKED,         /* none: executions of the place */
    WASTE_DEAD_STORE,     /* overwritten before anything read it */
    WASTE_SILENT_STORE,   /* what was there already */
    WASTE_REDUNDANT_LOAD, /* what an earlier load got from there */
    WASTE_UNUSED_RESULT,  /* in registers that were overwritten before anything read them */
    WASTE_COPY_OF_COPY,   /* a copy of a copy that was used for nothing else */
    WASTE_SAME_CALL,      /* a call without effect that got what an earlier one did */
    WASTE_SET,            /* set at once, and overwritten before anything read it */
    WASTE_ALL,            /* none: executions of all places in which it was looked for */
    WASTE_KINDS
};

/* Upper bounds of the distance classes, in instructions; pairs of the last are farther apart. */
#define WASTE_DISTANCES                                                                            \
    {                                                                                              \
        64, 1024, 8192, 65536, UINT64_MAX                                                          \
    }
enum { WASTE_CLASSES = 5, WASTE_CLASS_SHIFT = 8 };

/* `count` is executions of the place that need not be; `time` the bytes that they moved, or
 * of calls the instructions until they returned. The module
 * of a caller that is not known is MODULE_NONE. */
struct waste_key {
    uint32_t first_module, second_module, first_caller_module, second_caller_module;
    struct svma first, second, first_caller, second_caller;
    uint64_t kind; /* enum waste_kind; from bit 8 on the distance class */
};

/* One table of keys with their sums; index i of the map owns at[i]. */
struct table {
    struct map keys;
    VEC(struct sums);
};

/* Rows of edges and ranges that were not looked up in their tables: in any order, a key as often as
 * it was met. Exact recordings write them to the file without ever making the tables. */
struct loose_rows {
    struct loose_edges {
        VEC(struct loose_edge {
            struct edge_key key;
            uint64_t count;
        });
    } edges;
    struct loose_ranges {
        VEC(struct loose_range {
            struct range_key key;
            uint64_t count;
        });
    } ranges;
};

/* All tables in file order. To add one: a line here, its key, its members of struct profile and
 * batch, its chunk (chunk.h), its rows (row.c). */
enum profile_table {
    TABLE_EDGES,
    TABLE_RANGES,
    TABLE_TRIPS,
    TABLE_PATHS,
    TABLE_VALUES,
    TABLE_LATENCIES,
    TABLE_MODELLED,
    TABLE_CONFLICTS,
    TABLE_RUNS,
    TABLE_WASTE,
    TABLE_TURNS,
    TABLE_CALLED,
    TABLE_FIRSTS,
    TABLES
};

size_t profile_key_bytes(enum profile_table table);

struct totals {
    uint64_t batches, windows, interrupts;
    uint64_t instructions;        /* in windows, or counted exactly */
    uint64_t time, count;         /* sums of x: by time, and weighted by rates */
    u128 time_xx, count_xx;       /* sums of x^2 over batches */
    uint64_t user_ns, kernel_ns;  /* CPU time of the recorded threads */
    uint64_t user_ticks;          /* the same in TSC ticks, scaled up by the overhead in trails */
    uint64_t agent_ns, tool_ns;   /* CPU time of gait itself, as measured */
    uint64_t off_ns;              /* threads alive but not running */
    uint64_t samples, sampled_ns; /* of a sampled profile: the sum of its stacks */
    u128 sampled_xx;              /* sum of their squares; 0: not known */
    uint64_t complete_ns;         /* of sampled_ns: samples with a complete window */
    uint64_t delivery_ns, translate_ns; /* of agent_ns: interrupts; translation */
    /* Of walked runs: CPU time of the whole program, recorded or not; 0: not known. */
    uint64_t whole_user_ns, whole_kernel_ns;
    uint64_t walked_ns;  /* of agent_ns: what the program would have used natively */
    uint64_t once_ns;    /* of tool_ns: start-up and final work */
    uint64_t recordings; /* merged recordings; 0: a single one */
    /* Of a sampled profile: samples of the kernel in its stacks, beside the agent's; those in user
     * mode are part of `samples`, too. */
    uint64_t kernel_samples;
    /* Of sampled_ns and sampled_xx: those, of processes without an agent. The fact "agentless" has
     * such a process. */
    uint64_t bare_ns;
    u128 bare_xx;
    uint64_t recorded; /* windows that were recorded exit by exit */
    /* Trails that went on until their copies were warm; their instructions per tick, 2^-RATE_BITS,
     * and the squares of these. */
    uint64_t long_trails, long_rates, long_rates_yy;
    uint64_t losses[LOSS_N];
};

/* A fact about the recording: tool version, machine, trigger. */
struct fact {
    char *key, *value; /* the key has no '='; see profile_fact */
};
/* People read facts too: of a kind that may have thousands, only so many are stored, the rest
 * counted as fact_lost. */
enum { PROFILE_FACTS_NOTED = 256 };

/* A loss of a newer gait without a name here: kept, merged, shown. */
struct other_loss {
    const char *name;
    uint64_t n;
};

struct batch_sink;

struct profile {
    enum profile_mode mode;
    bool complete;          /* the recording was closed properly */
    char *command;          /* as typed, shell-quoted; after a merge one a line, sorted */
    char *warning;          /* NULL, or what profile_read found wrong */
    bool damaged;           /* its bytes changed; a truncated file is not damaged */
    bool ruined;            /* and no counts are left */
    uint64_t start_unix_ns; /* 0: not known */
    struct arena arena;
    struct modules {
        VEC(struct module);
    } modules;
    struct map module_keys; /* finds modules by the hash of their path and build-id */
    struct facts {
        VEC(struct fact);
    } facts; /* sorted by key and value, unique */
    union {
        struct table tables[TABLES];
        struct {
            struct table edges, ranges, trips, paths, values, latencies, modelled, conflicts;
            /* struct range_key, of branch records: from the target of one to the source of the
             * next. Ranges and edges have them already, in parts. Besides, with `instructions`
             * RUN_RAW or RUN_BRANCH, runs and branches as llvm-profgen takes the records, be they
             * possible or not. `count` is how often, and all else 0. */
            struct table runs;
            struct table waste;
            struct table turns; /* count: samples; all else 0 */
            struct table called;
            struct table firsts;
        };
    };
    struct loose_rows loose; /* belong to the tables as well */
    struct stacks stacks;
    /* Straight runs in their calling contexts, as walked. Below the root (no thread) are the call
     * sites, outermost first, as return addresses less one; then the first instruction of the run,
     * and its last, a taken branch. Weights are those of counts. */
    struct stacks passages;
    /* Successive paths of one activation of a function. Below the root are functions by entry,
     * below these path numbers, in the module of the function, from the first path of each series
     * on. A node of two or more paths weighs how often that series ran, whatever came next. In a
     * sampled profile batches are distributed over groups, and the root weighs the total. */
    struct stacks series;
    /* Paths in their calling contexts, of an exact profile: a context as in `stacks`, down to the
     * entry of its function, and below it the path number as an address. It weighs executions. */
    struct stacks context_paths;
    /* Where threads were off a CPU: stacks as above, with kernel frames innermost, by enum
     * wait_weight. Of a wait whose stack is not known the node is the thread's. */
    struct stacks waits;
    /* What calls cost with all that they called, of a traced exact profile. Below the root are call
     * sites, as return addresses less one; below these, or below the root where the caller is not
     * known, the starts of the functions that were called. STACK_CALLS, and STACK_INSTRUCTIONS: of
     * the outermost activation of a function, so that they add up to what it cost in all. */
    struct stacks call_costs;
    /* When time was spent: `stacks` by slices of the run (profile/times.h). */
    struct stacks times;
    struct stacks events; /* of samples of other events than the first (profile/events.h) */
    struct stack_memo {
        VEC(uint32_t);
    } times_of; /* while recording, of nodes of `stacks`: their node in `times`, plus 1 */
    struct stacks wait_times; /* likewise `waits`, by slices */
    struct stack_memo wait_times_of;
    /* Of a part of a run (profile/part.h): which; which its tables are of, its values, its waits;
     * its paths are not known. Else 0. */
    struct time_part part, part_counts, part_values, part_waits;
    uint32_t part_tables; /* bit t: the whole run has rows of table t */
    bool part_no_paths;
    struct batch_log log; /* when what the tables have was counted */
    struct sample_list samples;
    struct windows windows;       /* of a sampled profile: executions to be replayed by a model */
    struct path_parts path_parts; /* likewise: executions to be searched for paths */
    struct threads threads;
    struct names names;
    struct kept_parts kept; /* of the files of modules */
    struct totals totals;
    struct other_losses {
        VEC(struct other_loss);
    } other_losses;          /* sorted by name */
    struct batch_sink *sink; /* NULL: batches go to the tables above */
};

/* Whether an exact profile counted the whole requested run. */
bool profile_whole(const struct profile *profile);

void profile_init(struct profile *profile);
void profile_release(struct profile *profile);

/* The index of the module; equal path and build-id are one module. */
uint32_t profile_module(struct profile *profile, const char *path, const uint8_t *build_id,
                        uint32_t build_id_bytes);

/* Whether it is "[kernel]"; MODULE_NONE is not. */
bool profile_module_is_kernel(const struct profile *profile, uint32_t module);

/* Python functions (keep/keep_python.h). */
#define PYTHON_MODULE "[python]"
/* Code that was made at run time. */
bool profile_module_is_jit(const struct profile *profile, uint32_t module);
bool profile_module_is_python(const struct profile *profile, uint32_t module);
bool profile_has_python(const struct profile *profile);

/* The module of JIT code of a process. */
uint32_t profile_module_jit(struct profile *profile, uint32_t pid);

/* Adds a fact, if it is new. The keys "mode", "command" and "start_ns" are reserved. */
void profile_fact(struct profile *profile, const char *key, const char *value);
/* What was attached to: "BUILD-ID NAME", with "-" for a program without a build-id. */
#define FACT_ATTACHED "attached"
/* The first value of the key, or NULL. */
const char *profile_fact_find(const struct profile *profile, const char *key);

/* "exact", "sampled", "plain": as in files and JSON. */
const char *profile_mode_name(enum profile_mode mode);

/* The short name and the sentence of wire/losses.h. */
const char *loss_name(enum loss loss);
const char *loss_text(enum loss loss);
/* Adds to a loss by name, known or unknown. */
void profile_loss(struct profile *profile, const char *name, uint64_t n);

/* Clears tables and totals but keeps modules, facts and memory, so keys with module indices stay
 * valid. A recorder does this after each append. */
void profile_clear(struct profile *profile);

/* Clears the tables alone. */
void profile_clear_tables(struct profile *profile);

/* Reserves memory for so many rows. */
void table_expect(struct table *table, size_t rows);
/* The sums of a key, created as zero; valid until the next call on the same table. */
struct sums *table_at(struct table *table, const void *key);
const struct sums *table_find(const struct table *table, const void *key);
/* Adds the loose rows to their tables. */
void loose_rows_add(const struct loose_rows *loose, struct table *edges, struct table *ranges);

/* Adds `other` to `into`: exact, associative and, in the bytes written, commutative. Sums saturate
 * at the maximum of their type. Both profiles must have the same mode. */
struct err;
bool profile_merge(struct profile *into, const struct profile *other, struct err *err);
