/* Records addresses, values and latencies in copies: what wire/payload.h describes.
 *
 * payload_plan decides what a shape records; then translation asks for the code of each step. The
 * code keeps %r10 and %r11 in their slots over as many instructions as do not name them: a result
 * then costs one store, an address lea and a store. No flag changes. */
#pragma once

#include "walk/emit/emit.h"
#include "walk/emit/shape.h"
#include "wire/payload.h"

#include <stdbool.h>

struct payload {
    uint32_t events; /* EVENTS_ */
    uint32_t n, words;
    uint32_t left_out; /* steps that are not recorded whole: no room, or not known how */
    struct wire_payload items[PAYLOAD_ITEMS_MAX];
    uint16_t first[SHAPE_STEPS + 1]; /* item of each step; the last is n */
    /* during translation: */
    uint32_t next, written; /* item; words before it */
    bool held;              /* %r10 and %r11 are in their slots; %r11 holds context.payload_at */
};

/* What the superblock records; a pure function of the shape and the events. */
void payload_plan(struct payload *payload, const struct shape *shape, uint32_t events);

/* Translation begins. */
static inline void payload_begin(struct payload *payload)
{
    payload->next = payload->written = 0;
    payload->held = false;
}

/* Code that records before the step runs, and after. The step's own code stands in between, with
 * %r10 and %r11 in their slots if payload->held is still set. */
void payload_before(struct payload *payload, struct code_cursor *c, const struct step *step,
                    uint32_t i);
void payload_after(struct payload *payload, struct code_cursor *c, const struct step *step,
                   uint32_t i);
/* Puts the program's registers back. */
void payload_release(struct payload *payload, struct code_cursor *c);

/* True if the step is timed now and then. Its code then stands twice: after payload_time_not, and
 * between the other two. */
bool payload_times(const struct payload *payload, uint32_t i);
struct payload_timing {
    uint8_t *now, *over, *lines[2]; /* displacement fields */
};
void payload_time_not(struct code_cursor *c, struct payload_timing *timing);
void payload_time_start(struct code_cursor *c, struct payload_timing *timing);
void payload_time_end(struct code_cursor *c, struct payload_timing *timing);
