/* What samples cost: one of them, and the running means by which the budget sets the next. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* One part of a walk: its TSC ticks, and the program's instructions that it executed: those would
 * have run anyway, so they are no overhead. */
struct part_cost {
    uint64_t ticks, instructions;
    uint64_t
        native; /* ticks that these take natively, by the pace of the part itself; 0: not known */
};

/* The cost of one sample. Parts that it does not have are 0. */
struct sample_cost {
    uint64_t handler_ticks; /* all of it, by CPU time */
    struct part_cost window, trail;
    uint64_t longer_ticks;  /* of a trail that went on until its copies were warm, from there */
    uint64_t longer_native; /* of that: what its code takes natively */
    uint64_t copy_ticks;    /* of that: translation of new code */
};

/* What a sample has besides its time and place. */
struct sample_parts {
    bool window;
    uint32_t periods_q8; /* so many samples for each with a window, in 2^-8; 0: each has one */
    uint64_t trail;      /* ticks of the program's own time; 0: none */
};

/* Running means of a thread's samples; a new thread begins with those of another. */
struct means {
    uint64_t entry_ticks;        /* of the way into the handler */
    uint64_t rest_ticks;         /* of a sample without its walk */
    uint64_t window_ticks;       /* what a recorded window adds */
    uint64_t trail_ticks;        /* what a trail adds */
    uint64_t ticks_per_insn_q16; /* of the program, measured by trails */
    uint64_t insns_per_exit_q8;  /* of windows */
    uint64_t window;             /* instructions wanted in a window */
    uint64_t trail;              /* ticks wanted of a trail */
    uint64_t reach_q16;          /* trails that came to a system call first, of 65536 */
    uint64_t windows;            /* so far */
    bool goes_further;           /* the last walk had a further window */
};
