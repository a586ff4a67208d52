/* The blocks of a recording that has exact counts and samples of several events of the same run
 * (gait record --counters): of each how often it ran, and its samples of each event. */
#pragma once

#include "base/vec.h"
#include "program/cfg/cfg.h"
#include "lab/table/table.h"

/* The rows of Table 1 of Chen et al.: the event, its mask there, and the weight that they found. */
enum { EVENT_ROWS = 7 };
struct event_row {
    const char *name, *mask;
    double paper;
};
extern const struct event_row event_rows[EVENT_ROWS];

struct event_block {
    uint32_t instructions;
    double count;               /* executions, exactly */
    double samples[EVENT_ROWS]; /* weights: events, estimated */
};

struct event_blocks {
    VEC(struct event_block); /* those that ran or have samples */
};

/* Samples of all events, by place. */
struct event_places;
struct event_places *event_places_open(const struct lab_recording *recording);
void event_places_close(struct event_places *places);
/* Of the block: its instructions and samples. */
struct event_block event_places_block(const struct event_places *places, uint32_t module,
                                      const struct cfg *cfg, block_id id);

/* Fails if the recording lacks an event or its counts. */
bool event_blocks_check(const struct lab_recording *recording, struct err *err);
void event_blocks_read(struct event_blocks *blocks, const struct lab_recording *recording);
