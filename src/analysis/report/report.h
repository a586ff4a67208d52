/* Rows of what ran, heaviest first: by function, line, inlined function, block, edge, instruction,
 * call or loop.
 *
 * Functions, lines, inlined functions and loops weigh what ran inside them: executed instructions
 * or time. Other rows weigh their executions or, with WEIGHT_TIME, their time; edges and calls
 * take none. A plain profile has no executions: all rows weigh time, or the events that were
 * sampled. There a call weighs the time in its callee, and there are no edges. */
#pragma once

#include "analysis/counts/labels.h"
#include "analysis/report/plain.h"

struct trip_bars;

struct report_row {
    uint32_t module, to_module;
    function_id function;
    const char *name;    /* as linked: of the function or the inlined function */
    const char *to_name; /* of a call's target */
    uint64_t at, to;
    uint32_t bytes;
    uint8_t kind;
    bool inlined, irreducible;
    const char *file; /* of a line or an inlined function; NULL: not known */
    uint32_t line;
    uint64_t heaviest; /* of a line: the weight of the instruction at `at` */
    /* count: entries of a function, iterations of a loop, executions of all else; of a line those
     * of its busiest instruction. body: everything that ran inside of it. Zero in a plain profile.
     */
    struct quantity count, body;
    struct quantity entries; /* of a loop; so depth and trips: see struct item */
    uint32_t depth;
    uint64_t trips;
    const struct plain_row *plain; /* NULL in others */
    bool kernel;                   /* code of the kernel, in a report that ranks both */
    double rank;                   /* there: seconds that it is sorted by */
    /* Of a function of a traced exact profile: instructions, with all that it called; 0: not
     * known. */
    uint64_t inclusive;
    /* Of a function that was walked: what its code was seen in, anywhere on a stack; NULL: not
     * known. */
    const struct plain_row *below;
};

struct report_options {
    enum item_by by;
    enum weight weight;
    bool has_weight;   /* else what suits the profile */
    uint32_t pid, tid; /* 0: all */
    const char *input; /* the profile's file, for commands that advice shows; NULL: the usual one */
    const char *either; /* calls from and to functions of this name or glob only; NULL: all */
    bool fold_stubs;    /* stubs of the PLT are part of what they lead to */
    bool only_timed;    /* where both are ranked, no rows that no sample has anything of */
    bool both; /* rank functions of the kernel with the others, where time weighs and both are known
                */
};

struct report {
    struct scene *scene;
    enum item_by by;
    enum weight weight;
    const char *input;
    uint64_t stray;
    struct quantity landings; /* see struct items */
    uint64_t begun, ended;    /* likewise */
    uint64_t total;           /* of the weights */
    bool has_plain;           /* rows are made of stacks, */
    bool has_below;           /* or stacks tell what was seen below them */
    bool has_inclusive;       /* or a trace what was executed there */
    struct plain plain;
    struct plain_rows plain_rows;
    /* Shares are of all CPU time, and rows of the kernel stand among the others. JSON has those
     * apart, as it always had the others alone. */
    bool both;
    bool kernel_sampled; /* else the kernel is one row, of what it counted itself */
    struct plain kernel;
    struct plain_rows kernel_rows;
    double user_s, kernel_s; /* that shares are of */
    bool wants_counts;       /* --weight was given: counts are asked for, however well known */
    VEC(struct report_row);
};

/* The scene has one side. Fails on what this kind of profile cannot say, and if filters leave
 * nothing. */
bool report_make(struct report *report, struct scene *scene, struct report_options options,
                 struct err *err);
void report_release(struct report *report);

/* What a row says. Figures that the profile does not have are not numbers. */
struct estimate report_share(const struct report *report, const struct report_row *row);
struct estimate report_total_share(const struct report *report, const struct report_row *row);
struct estimate report_count(const struct report *report, const struct report_row *row);
struct estimate report_instructions(const struct report *report, const struct report_row *row);
struct estimate report_time(const struct report *report, const struct report_row *row);
/* Executed instructions, with all that it called. */
struct estimate report_total_instructions(const struct report *report,
                                          const struct report_row *row);
struct estimate report_total(const struct report *report, const struct report_row *row);
struct estimate report_entries(const struct report *report, const struct report_row *row);
/* How long the runs of a row's loop are; false: that is not known. To be released either way. */
bool report_trips(const struct report *report, const struct report_row *row,
                  struct trip_bars *bars);
/* Iterations of a loop for each time that it is entered. */
struct estimate report_trip_mean(const struct report *report, const struct report_row *row);
struct estimate report_cpi(const struct report *report, const struct report_row *row);

/* The row is all code of a module that nothing names, and no function. */
bool report_row_unnamed(const struct report *report, const struct report_row *row);
/* Functions, lines, inlined functions and loops: a body of instructions rather than a place. */
bool report_has_body(const struct report *report);
/* What was seen below a row is known: stacks are those of callers, too. */
bool report_has_total(const struct report *report);
