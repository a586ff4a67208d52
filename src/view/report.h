/* Rows of what ran, heaviest first: by function, line, block, edge, instruction or call.
 *
 * Functions and lines weigh what ran inside of them: executed instructions or time. All else weighs
 * its executions, or with WEIGHT_TIME the time it took; edges and calls take none. */
#pragma once

#include "view/head.h"

struct report_row {
    uint32_t module, to_module;
    function_id function;
    uint64_t at, to;
    uint32_t bytes;
    uint8_t kind;
    const char *file; /* of a line; NULL: code whose line is not known */
    uint32_t line;
    /* count: entries of a function, executions of all else; of a line those of its busiest
     * instruction. body: everything that ran inside of it. */
    struct tally count, body;
};

struct report {
    struct scene *scene;
    enum item_by by;
    enum weight weight;
    uint64_t stray;
    uint64_t total; /* of the weights */
    VEC(struct report_row);
};

/* The scene has one side. */
void report_make(struct report *report, struct scene *scene, enum item_by by, enum weight weight);
void report_release(struct report *report);

/* At most `limit` rows; text says how many were left out. */
void report_text(FILE *to, const struct report *report, size_t limit);
void report_json(FILE *to, const struct report *report, size_t limit);
