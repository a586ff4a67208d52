/* What the code of a kept function names: functions that it calls or jumps to, whose names its
 * listing shows, and constants that its jump tables may be.
 *
 * Bytes are looked at, not instructions: decoding would take five times as long, and what is not
 * really a reference costs a name too many. */
#pragma once

#include "base/vec.h"
#include "program/symbols/symbols.h"

struct image;

struct interval {
    uint64_t start, end;
};
struct intervals {
    VEC(struct interval);
};

enum { REFERENCES_SEEN = 4096 };

struct references {
    const struct image *image;
    const struct symbols *symbols;
    bool *named; /* by function */
    struct intervals *data;
    uint64_t code_start, code_end; /* of all functions */
    uint64_t
        seen[REFERENCES_SEEN]; /* targets that were looked at: most are called again and again */
};
void references_init(struct references *references);
/* Marks functions other than its own, and adds constants. */
void references_find(struct references *references, function_id function);

/* Adds constants, with what readers of tables look at before and behind them. */
void interval_add(struct references *references, uint64_t start, uint64_t bytes);
/* Adds code that belongs to no function that is kept with its code. */
void interval_add_code(struct references *references, uint64_t start, uint64_t bytes);
/* Sorts and joins. */
void intervals_settle(struct intervals *intervals);
