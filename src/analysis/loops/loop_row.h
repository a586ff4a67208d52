/* What the windows of a recording saw of each loop. */
#pragma once

#include "analysis/counts/estimate.h"
#include "analysis/loops/loop_insn.h"
#include "base/vec.h"

enum { LOOP_STRIDES = 4, LOOP_DISTANCES = 10, LOOP_GROUPS = 16 };

/* A stride of an access, and how often it was: at least n. */
struct loop_stride {
    int64_t bytes;
    uint64_t n, over; /* over: of others that had the place before */
};

/* An instruction of the loop itself: not of loops inside it, nor of what it calls. */
struct loop_access {
    uint32_t insn; /* of the code */
    uint64_t at;   /* svma */
    struct loop_insn what;
    uint64_t n;            /* executions */
    uint64_t taken;        /* of conditional branches */
    uint64_t leaves, back; /* of them: how often the loop ended there, or began again */
    uint64_t steps;        /* how often the address of the iteration before is known */
    uint64_t last, last_iteration, last_entry;
    struct loop_stride strides[LOOP_STRIDES]; /* the most frequent first, once settled */
};

/* A value that one iteration stores and a later one loads. */
struct loop_carried {
    uint32_t module_from, module; /* of the scene: of the store, and of the load */
    uint64_t from, at;            /* svma */
    uint64_t n;
    uint32_t least;                     /* iterations between them */
    uint64_t distances[LOOP_DISTANCES]; /* 1, 2, 3 to 4, 5 to 8, and so on; the last: all others */
};

/* From an entry on, as far as its window goes. */
struct loop_run {
    uint32_t iterations;
    uint16_t group; /* of windows */
    bool cut;       /* the window ended first */
};

struct loop_call {
    uint32_t function; /* of the code */
    bool pointer;      /* called through a register or memory */
    uint64_t n;
};

struct loop_row {
    uint32_t loop;         /* of the code */
    uint32_t module;       /* of the scene */
    uint64_t head;         /* svma */
    bool inner;            /* no loop inside it was seen */
    uint32_t parent;       /* the row of the loop around it, or UINT32_MAX */
    struct estimate share; /* of what windows executed, weighed by the CPU time they stand for */
    struct estimate trips; /* iterations of an entry; NAN: none was seen to begin */
    bool more;             /* than that: no window saw its longest runs end */
    uint64_t iterations, entries;
    uint64_t whole;        /* entries that windows saw from start to end */
    uint32_t least, most;  /* iterations of those; of cut ones, `most` is what was seen */
    uint64_t instructions; /* of its own, not of loops inside nor of calls */
    struct loop_accesses {
        VEC(struct loop_access);
    } accesses; /* by address */
    struct loop_runs {
        VEC(struct loop_run);
    } runs;
    struct loop_carrieds {
        VEC(struct loop_carried);
    } carried; /* the most frequent first */
    struct loop_calls {
        VEC(struct loop_call);
    } calls; /* the most frequent first */
};

/* Which of the distances a number of iterations belongs to, and what that one is called. */
uint32_t loop_distance_bin(uint32_t iterations);
const char *loop_distance_name(uint32_t bin);
