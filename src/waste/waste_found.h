/* What is found, and the executions that it is found of. */
#pragma once

#include "base/vec.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* An instruction, and the call that led to its function; WASTE_NOWHERE: not known. Both by number
 * (waste_blocks.h). */
#define WASTE_NOWHERE UINT32_MAX
struct waste_site {
    uint32_t code, caller;
};

struct waste_found {
    enum waste_kind kind;
    struct waste_site first, second;
    uint64_t distance; /* instructions from the one to the other */
    uint64_t bytes;
};

/* Hears of each finding. */
struct waste_listener {
    void (*found)(void *of, const struct waste_found *found);
    void *of;
};

/* One execution of an instruction whose effect is not decided yet. Number 0 is none. */
struct waste_event {
    struct waste_site site;
    uint64_t position;
    uint32_t left;  /* bytes, or registers, that are still as it left them */
    uint32_t bytes; /* that it wrote */
    bool used;      /* something read it */
    bool quiet;     /* never a finding: who uses it is not known */
    bool set;       /* by a string instruction */
    bool copy;      /* its bytes are those of other memory */
    bool copied;    /* read once, by a copy: */
    struct waste_site copier;
};

struct waste_events {
    VEC(struct waste_event);
    struct waste_free {
        VEC(uint32_t);
    } free;
};

static inline struct waste_event *waste_event(struct waste_events *events, uint32_t number)
{
    return &events->at[number];
}
uint32_t waste_event_new(struct waste_events *events, struct waste_site site, uint64_t position,
                         uint32_t left);
void waste_event_end(struct waste_events *events, uint32_t number);
void waste_events_clear(struct waste_events *events);
