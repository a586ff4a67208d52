/* What memory holds, as far as a tracker can follow it: slots that were stored to or loaded from,
 * constants, entries of tables; and which addresses of the stack others may have. */
#pragma once

#include "program/cfg/tracker.h"

#include <stdbool.h>
#include <stdint.h>

/* An address as a sum: what is constant of it, and up to one thing that is not. */
struct address_sum {
    bool known; /* else there was more */
    uint64_t number;
    struct value term; /* ANY: none */
    uint8_t scale;
};
struct address_sum address_sum_of(const struct state *state, const struct operand *memory);

/* The value goes where it can no longer be followed. */
void tracked_escape(struct tracker *tracker, const struct value *value);
/* Somebody else may have written to all that he can reach. */
void tracked_doubt(const struct tracker *tracker, struct state *state);

/* What an instruction loads; a load from a table is noted in tracker->loads. */
struct value tracked_load(struct tracker *tracker, struct state *state, uint32_t instruction,
                          const struct operand *memory);
void tracked_store(struct tracker *tracker, struct state *state, const struct operand *memory,
                   struct value value);
/* So many bytes are stored of which nothing is known; 0 bytes: any number, upwards. `memory` NULL:
 * nobody knows where. */
void tracked_overwrite(struct tracker *tracker, struct state *state, const struct operand *memory,
                       uint64_t bytes);
