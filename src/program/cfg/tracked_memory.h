/* The contents of memory as far as a tracker can follow them: slots that were stored or loaded,
 * constants, table entries; and which stack addresses have escaped. */
#pragma once

#include "program/cfg/tracker.h"

#include <stdbool.h>
#include <stdint.h>

/* An address as a sum of a constant and at most one unknown. */
struct address_sum {
    bool known; /* else there were more unknowns */
    uint64_t number;
    struct value term; /* ANY: none */
    uint8_t scale;
};
struct address_sum address_sum_of(const struct state *state, const struct operand *memory);

/* The value escapes: it can no longer be followed. */
void tracked_escape(struct tracker *tracker, const struct value *value);
/* Other code may have written to all memory that it can reach. */
void tracked_doubt(const struct tracker *tracker, struct state *state);

/* The value that an instruction loads. A load from a table is noted in tracker->loads. */
struct value tracked_load(struct tracker *tracker, struct state *state, uint32_t instruction,
                          const struct operand *memory);
void tracked_store(struct tracker *tracker, struct state *state, const struct operand *memory,
                   struct value value);
/* Stores unknown bytes; bytes 0: any number, upwards. memory NULL: address unknown. */
void tracked_overwrite(struct tracker *tracker, struct state *state, const struct operand *memory,
                       uint64_t bytes);
