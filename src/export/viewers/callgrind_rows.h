/* The rows of a callgrind file: costs, calls and jumps of each function. */
#pragma once

#include "export/job/job.h"

enum callgrind_kind {
    ROW_COST,
    ROW_CALL,   /* count times, to callee; cost is that of the calls, what they called included */
    ROW_JUMP,   /* count times */
    ROW_BRANCH, /* count times of all */
};

struct callgrind_row {
    uint32_t function; /* of the places: a real one, not inlined */
    uint8_t kind;      /* enum callgrind_kind */
    uint32_t line;     /* 0: not known */
    const char *file;  /* NULL: not known */
    uint64_t address;  /* 0 where only lines count */
    uint64_t cost;
    uint32_t callee;
    uint32_t to_line;
    const char *to_file;
    uint64_t to; /* address */
    uint64_t count, all;
};

struct callgrind_rows {
    VEC(struct callgrind_row);
};

/* From ranges and edges: by instruction. A trace with contexts tells what calls cost. Of other
 * exact profiles it is known where it follows from counts: of a function that is called from one
 * place only, and so are those that it calls. Else, and in sampled profiles, it is written as 0.
 */
void callgrind_from_counts(struct callgrind_rows *rows, struct export_job *job);
/* From stacks: by line. How often something was called is not known and written as 1. */
void callgrind_from_stacks(struct callgrind_rows *rows, struct export_job *job);

/* The real function around a place, and the line of the innermost code there. */
struct callgrind_row callgrind_row_at(struct named_places *places, uint32_t module,
                                      uint64_t address);
