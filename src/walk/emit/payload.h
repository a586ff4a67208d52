/* Recording of addresses, values and latencies in copies: what wire/payload.h describes.
 *
 * First a plan is made of a shape, then translation asks for the code of each step. The code keeps
 * %r10 and %r11 in their slots while it has use for them, over as many instructions as do not name
 * them: one store is then all that a result costs, and lea and a store an address. No flag changes.
 */
#pragma once

#include "walk/emit/emit.h"
#include "walk/emit/shape.h"
#include "wire/payload.h"

#include <stdbool.h>

struct payload {
    uint32_t events; /* EVENTS_ */
    uint32_t n, words;
    uint32_t left_out; /* steps that had more to tell than there was room for, or that is known */
    struct wire_payload items[PAYLOAD_ITEMS_MAX];
    uint16_t first[SHAPE_STEPS + 1]; /* item of each step; the last is n */
    /* while code is made: */
    uint32_t next, written; /* item; words before it */
    bool held;              /* %r10 and %r11 are in their slots, and context.payload_at in %r11 */
};

/* What the superblock records; a pure function of the shape and the events. */
void payload_plan(struct payload *payload, const struct shape *shape, uint32_t events);

/* Code begins. */
static inline void payload_begin(struct payload *payload)
{
    payload->next = payload->written = 0;
    payload->held = false;
}

/* What is recorded of the step before it runs, and after. Its own code stands in between; %r10 and
 * %r11 are in their slots then if payload->held still is set. */
void payload_before(struct payload *payload, struct code_cursor *c, const struct step *step,
                    uint32_t i);
void payload_after(struct payload *payload, struct code_cursor *c, const struct step *step,
                   uint32_t i);
/* The program's registers are all in place again. */
void payload_release(struct payload *payload, struct code_cursor *c);

/* Whether the step is timed now and then. If so its code stands twice: once behind
 * payload_time_not, once between the other two. */
bool payload_times(const struct payload *payload, uint32_t i);
struct payload_timing {
    uint8_t *now, *over, *lines[2]; /* displacement fields */
};
void payload_time_not(struct code_cursor *c, struct payload_timing *timing);
void payload_time_start(struct code_cursor *c, struct payload_timing *timing);
void payload_time_end(struct code_cursor *c, struct payload_timing *timing);
