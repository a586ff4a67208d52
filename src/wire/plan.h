/* Plans: what exact runs do besides counting, at places that the tool has chosen.
 *
 * An operation stands at an edge, and is carried out whenever that is taken; or at an instruction,
 * and is carried out before each time it runs; or at the arrival from elsewhere. Each thread has
 * one register for them, `path`, of 64 bits, whose arithmetic is modulo 2^64. Several at one place
 * are carried out in order; those of an edge or an arrival before those of the instruction that it
 * leads to. That is enough to number paths: constants are added along edges, and at the end of a
 * path the sum is the number of a counter. */
#pragma once

#include <stdint.h>

enum plan_action {
    PLAN_SET = 1, /* path = value; with PLAN_TICKS a path begins here */
    PLAN_ADD,     /* path += value */
    /* counters[counter + (path + value modulo 2^bits)] += 1, bits being one of 0, 5, 8, 13 and 16:
     * whatever the path is, nothing else is touched, and a path that makes no sense is counted as
     * one */
    PLAN_COUNT,
    /* One more of the path (`counter`, path + value) in the thread's table of paths: for functions
     * that have too many for counters. `counter` is any number of the tool's, such as the
     * function's */
    PLAN_COUNT_PATH,
    PLAN_KEEP,    /* before a call: the path is put by, under the stack pointer, ... */
    PLAN_BACK,    /* and behind it: taken back. Whoever does not return needs no tidying up */
    PLAN_NOTHING, /* of an edge: what is done at the arrival is not done */
    PLAN_ACTIONS,
};

/* Of PLAN_SET, COUNT, COUNT_PATH, KEEP and BACK: ticks of the time stamp counter along paths. SET
 * begins to measure; KEEP puts what was measured by, and BACK goes on from there, so that a call
 * between them is left out; COUNT adds what was measured since SET. Counters are then pairs: the
 * count and, behind it, the ticks; 2^bits pairs from `counter` on. */
enum { PLAN_TICKS = 1 };
/* Instead, of the same: some passages are measured, chosen at random where they begin, at SET,
 * several in one burst. Counters are then 2^bits of counts, and behind them 2^bits of these. */
enum { PLAN_SOME = 8 };
struct wire_measured {
    uint64_t ticks, passages; /* of so many, together, less what looking at the clock took */
    uint64_t looks;           /* that ended a stretch of them */
    uint64_t bursts, squares; /* with any of them; squares of ticks of one, by passages */
};
enum { MEASURED_WORDS = sizeof(struct wire_measured) / 8 };
/* Of PLAN_SOME, too: bursts of many passages that were timed as a whole, undisturbed, at NODES_AT
 * of the bank (with PLAN_SOME there are no nodes). The header, then bursts one behind the other:
 * each a wire_burst and `n` wire_burst_paths. All of a thread are spread evenly over its time: when
 * there is no more room, every second one is dropped, and from then on only one in 2^halvings is
 * kept. */
struct wire_bursts {
    uint64_t bytes; /* behind the header */
    uint32_t n, halvings;
};
struct wire_burst {
    uint64_t ticks;
    uint32_t n; /* different paths */
    uint32_t reserved;
};
struct wire_burst_path {
    uint64_t path;
    uint32_t function; /* `counter` of the operation that counts it, and BURST_BY_NUMBER if that is
                          PLAN_COUNT_PATH */
    uint32_t passages;
};
#define BURST_BY_NUMBER (UINT32_C(1) << 31)
enum { BURSTS_MAX = 1 << 13, BURSTS_BYTES = 4 << 20 };
/* Of KEEP and BACK with PLAN_SOME: the time only, not the register. BACK with it may also stand
 * where paths begin that are not behind a call (landing pads, setjmp): what was left for good in
 * frames below is then not measured on. */
enum { PLAN_TIME = 16 };
/* Of any: behind it nobody asks for the register before the next SET or BACK, and it may be
 * anything. */
enum { PLAN_ENDS = 2 };
/* Of PLAN_COUNT and COUNT_PATH, where functions have calling contexts: `counter` is the number of a
 * function, and what is counted is its path in the context that the thread is in. COUNT has
 * counters in the node (wire/node.h), the first being that of path 0; `bits` 0: the path is the
 * value. Should the node be another function's, it is a path in the table, in no context. */
enum { PLAN_IN_NODE = 4 };

/* Where an operation stands, in `from`. PLAN_ARRIVAL: `to` is reached by a call, by a return, or by
 * a branch with a computed target, and that very edge (from, to) has no operations; so also by
 * longjmp, and by an exception at its landing pad. PLAN_AT: at the instruction `to`, however it is
 * reached. Others are the address, as linked, of the branch: conditional, taken or not; a jump; a
 * jump with a computed target; a call. */
enum { PLAN_AT = 0, PLAN_ARRIVAL = 1 };

/* The register of a thread that has not met a PLAN_SET. */
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

/* A function, or another stretch of code. */
enum {
    PLAN_COVERED = 1,  /* paths tell what ran of it: the process need not count it as well */
    PLAN_FUNCTION = 2, /* it has calling contexts of its own, or is part of one that has */
    PLAN_PARTED = 4,   /* other stretches are part of it */
};
/* Operations of a function are made when a process asks for them: most functions of large modules
 * never run. Until `state` is PLAN_MADE, `flags`, `paths`, `operations` and `n` say nothing. */
enum plan_state { PLAN_MADE, PLAN_TO_MAKE };
struct wire_plan_function {
    uint64_t start; /* as linked */
    uint64_t of;    /* where the function begins that it is part of; `start`, if it is none's */
    uint32_t bytes;
    uint32_t number; /* any of the tool's, for operations that are PLAN_IN_NODE */
    uint16_t flags;
    uint16_t paths;      /* counters of each of its contexts, as in struct wire_node */
    uint32_t state;      /* enum plan_state; a futex */
    uint64_t operations; /* in bytes from the start of the library: struct wire_plan [n], of all its
                            parts */
    uint32_t n, reserved;
};
enum { PLAN_PATHS_MAX = 14 };

/* ---- the library: PLAN_LIBRARY_BYTES behind the banks of all channels, written by the tool: what
 * plans consist of, once for all processes. Operations are sorted by from, then to, of one place in
 * the order in which they are carried out, and at most PLAN_AT_ONE_PLACE there; functions by start,
 * and do not overlap. Nothing is changed that an entry has told of, but for functions that are
 * PLAN_TO_MAKE. A process asks for such a one by its place in the library (channel.plan_asks), and
 * waits. */
#define PLAN_LIBRARY_BYTES (UINT64_C(1) << 28)
enum { PLAN_AT_ONE_PLACE = 8, PLAN_ASKS = 64 };

/* ---- plans section of a channel, append-only, written by the tool: an entry for each mapping that
 * has a plan.
 *
 * The process publishes its mappings, then waits until the tool has answered all of them
 * (channel.plans_for). It waits as long as the tool lives (directory.tool); without the tool it
 * goes on without plans, which is counted. So code is not translated before its plan is there: not
 * at the start, and not when a module is loaded. */

struct wire_plan_module {
    uint32_t bytes;      /* of this entry */
    uint32_t n;          /* operations of the whole module; 0: its functions have their own */
    uint64_t start, end; /* avma of the mapping */
    uint64_t bias;       /* avma less address as linked */
    uint64_t operations; /* in bytes from the start of the library, a multiple of 8: struct
                            wire_plan [n] */
    uint64_t functions;  /* likewise: struct wire_plan_function [n_functions] */
    uint32_t n_functions;
    uint32_t reserved;
};

/* Of PLAN_SOME, in `function`: what is known of passages that were measured, in `count` and
 * `ticks`: passages and ticks; looks and squares; bursts. They are counted without it as well. */
#define PATH_TIMED (UINT32_C(1) << 31)
#define PATH_TIMED_LOOKS (PATH_TIMED | UINT32_C(1) << 30)
#define PATH_TIMED_BURSTS (PATH_TIMED | UINT32_C(1) << 29)

/* ---- in a bank, at PATHS_AT: paths that are counted by their number. A slot is free while `count`
 * is 0. Those of a function lie anywhere; what found no room is counted as LOSS_path_lost. */
struct wire_path {
    uint64_t path;
    uint32_t function; /* PLAN_COUNT_PATH's `counter` */
    uint32_t node;     /* PLAN_IN_NODE: in which context; 0: not known */
    uint64_t count, ticks;
};
