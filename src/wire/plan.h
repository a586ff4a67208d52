/* Plans: operations that the tool chose for places in the program, for exact runs to carry out.
 *
 * An operation belongs to an edge (done whenever the edge is taken), to an instruction (done before
 * each execution), or to an arrival from elsewhere. Each thread has one register for them, `path`,
 * with 64-bit arithmetic modulo 2^64. Several operations at one place are done in order; those of
 * an edge or arrival come before those of the instruction it leads to. That is enough to number
 * paths: edges add constants, and at the end of a path the sum selects a counter. */
#pragma once

#include <stdint.h>

enum plan_action {
    PLAN_SET = 1, /* path = value; with PLAN_TICKS a path begins here */
    PLAN_ADD,     /* path += value */
    /* counters[counter + (path + value modulo 2^bits)] += 1; bits is 0, 5, 8, 13 or 16. The modulus
     * keeps the access inside the function's counters, whatever the path is. */
    PLAN_COUNT,
    /* Counts the path (`counter`, path + value) in the thread's table of paths, for functions with
     * too many paths for counters. `counter` is a number that the tool chose, such as the
     * function's. */
    PLAN_COUNT_PATH,
    PLAN_KEEP,    /* before a call: saves the path under the stack pointer */
    PLAN_BACK,    /* after the call: restores it. Calls that never return need no clean-up */
    PLAN_NOTHING, /* of an edge: the operations of the arrival are not done */
    PLAN_ACTIONS,
};

/* Flag of SET, COUNT, COUNT_PATH, KEEP and BACK: measure ticks of the time stamp counter along
 * paths. SET starts the clock; KEEP saves the time so far and BACK goes on from there, so that the
 * call in between is left out; COUNT adds the time since SET. Counters are then pairs, count and
 * ticks: 2^bits pairs from `counter` on. */
enum { PLAN_TICKS = 1 };
/* What PLAN_TICKS counts: ticks; page faults of the thread; a perf event, by the processor's own
 * counter. */
enum event_clock_kind { EVENT_CLOCK_TSC, EVENT_CLOCK_FAULTS, EVENT_CLOCK_PERF };
/* Flag of the same, instead: measure some passages, chosen at random at SET, several in one burst.
 * Counters are then 2^bits counts, followed by 2^bits of struct wire_measured. */
enum { PLAN_SOME = 8 };
struct wire_measured {
    uint64_t ticks, passages; /* ticks of so many passages, without those of reading the clock */
    uint64_t looks;           /* clock reads that ended an interval */
    uint64_t bursts;          /* with this path */
    uint64_t squares;         /* of each burst: its ticks squared, divided by its passages */
};
enum { MEASURED_WORDS = sizeof(struct wire_measured) / 8 };
/* With PLAN_SOME: bursts of many passages that were timed as a whole, undisturbed, at NODES_AT of
 * the bank (with PLAN_SOME there are no nodes). First the header, then the bursts: each a
 * wire_burst and `n` wire_burst_paths. They are spread evenly over the thread's time: when the area
 * is full, every second burst is dropped, and from then on only one in 2^halvings is kept. */
struct wire_bursts {
    uint64_t bytes; /* after the header */
    uint32_t n, halvings;
};
struct wire_burst {
    uint64_t ticks;
    uint32_t n; /* different paths */
    uint32_t reserved;
};
struct wire_burst_path {
    uint64_t path;
    uint32_t function; /* `counter` of the operation that counts it, with BURST_BY_NUMBER if that is
                        * PLAN_COUNT_PATH */
    uint32_t passages;
};
#define BURST_BY_NUMBER (UINT32_C(1) << 31)
enum { BURSTS_MAX = 1 << 13, BURSTS_BYTES = 4 << 20 };
/* Flag of KEEP and BACK with PLAN_SOME: save and restore only the time, not the register. BACK may
 * then also stand where paths begin that do not follow a call (landing pads, setjmp): it stops
 * measuring frames below that were left for good. */
enum { PLAN_TIME = 16 };
/* Flag of any operation: nothing reads the register before the next SET or BACK, so it may hold
 * anything. */
enum { PLAN_ENDS = 2 };
/* Flag of COUNT and COUNT_PATH, where functions have calling contexts: `counter` is the number of a
 * function, and its path is counted in the thread's current context. COUNT uses counters in the
 * node (wire/node.h); the first is that of path 0; with `bits` 0 the path is the value. If the node
 * is another function's, the path is counted in the table, in no context. */
enum { PLAN_IN_NODE = 4 };

/* Values of `from`. PLAN_ARRIVAL: at `to`, when it is reached by a call, a return or an indirect
 * branch (also by longjmp, or by an exception at its landing pad) and the edge (from, to) has no
 * operations of its own. PLAN_AT: at the instruction `to`, however it is reached. Other values are
 * the address, as linked, of the branch: conditional (taken or not), jump, indirect jump, or call.
 */
enum { PLAN_AT = 0, PLAN_ARRIVAL = 1 };

/* The register before the first PLAN_SET. */
#define PLAN_NO_PATH (UINT64_C(1) << 63)

struct wire_plan {
    uint64_t from;
    uint64_t to; /* as linked */
    int64_t value;
    uint32_t counter;
    uint8_t action; /* enum plan_action */
    uint8_t bits;   /* PLAN_COUNT */
    uint16_t flags; /* PLAN_TICKS, PLAN_SOME, PLAN_TIME, PLAN_ENDS, PLAN_IN_NODE */
};

/* Flags of a function, or of another stretch of code. */
enum {
    PLAN_COVERED = 1,  /* its paths tell what ran: it needs no other counters */
    PLAN_FUNCTION = 2, /* it has calling contexts, or is part of a function that has */
    PLAN_PARTED = 4,   /* other stretches belong to it */
};
/* The tool makes the operations of a function when a process asks for them: most functions of large
 * modules never run. Until `state` is PLAN_MADE, `flags`, `paths`, `operations` and `n` are not
 * valid. */
enum plan_state { PLAN_MADE, PLAN_TO_MAKE };
struct wire_plan_function {
    uint64_t start; /* as linked */
    uint64_t of;    /* start of the function that it is part of; `start` if none */
    uint32_t bytes;
    uint32_t number; /* chosen by the tool, for operations that are PLAN_IN_NODE */
    uint16_t flags;
    uint16_t paths;      /* counters per context, as in struct wire_node */
    uint32_t state;      /* enum plan_state; a futex */
    uint64_t operations; /* offset in the library: struct wire_plan [n], of all its parts */
    uint32_t n, reserved;
};
enum { PLAN_PATHS_MAX = 14 };

/* ---- the library: PLAN_LIBRARY_BYTES after the banks of all channels, written by the tool. It
 * holds the content of plans once for all processes. Operations are sorted by from, then to; those
 * of one place are in the order in which they are done, at most PLAN_AT_ONE_PLACE. Functions are
 * sorted by start and do not overlap. What an entry refers to never changes, except functions that
 * are PLAN_TO_MAKE: a process asks for one by its offset in the library (channel.plan_asks), and
 * waits. */
#define PLAN_LIBRARY_BYTES (UINT64_C(1) << 28)
enum { PLAN_AT_ONE_PLACE = 8, PLAN_ASKS = 64 };

/* ---- plans section of a channel, append-only, written by the tool: one entry for each mapping
 * that has a plan.
 *
 * The process publishes its mappings and waits until the tool has answered all of them
 * (channel.plans_for), as long as the tool lives (directory.tool). Without the tool it goes on
 * without plans, which is counted. So no code is translated before its plan is there, neither at
 * the start nor when a module is loaded. */

struct wire_plan_module {
    uint32_t bytes;      /* of this entry */
    uint32_t n;          /* operations of the whole module; 0: functions have their own */
    uint64_t start, end; /* avma of the mapping */
    uint64_t bias;       /* avma minus address as linked */
    uint64_t operations; /* offset in the library, a multiple of 8: struct wire_plan [n] */
    uint64_t functions;  /* the same: struct wire_plan_function [n_functions] */
    uint32_t n_functions;
    uint32_t reserved;
};

/* With PLAN_SOME, in `function`: the entry holds measurements in `count` and `ticks`: passages and
 * ticks; clock reads and squares; bursts. The passages are counted in the path's plain entry too.
 */
#define PATH_TIMED (UINT32_C(1) << 31)
#define PATH_TIMED_LOOKS (PATH_TIMED | UINT32_C(1) << 30)
#define PATH_TIMED_BURSTS (PATH_TIMED | UINT32_C(1) << 29)

/* ---- in a bank, at PATHS_AT: paths that are counted by their number, in any order. A slot is free
 * while `count` is 0. Paths that found no room are counted as LOSS_path_lost. */
struct wire_path {
    uint64_t path;
    uint32_t function; /* PLAN_COUNT_PATH's `counter` */
    uint32_t node;     /* PLAN_IN_NODE: its context; 0: not known */
    uint64_t count, ticks;
};
