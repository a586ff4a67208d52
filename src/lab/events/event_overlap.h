/* How near the edges that are inferred from samples of one event are to the exact counts of the
 * same run: the degree of overlap, on the edges of all functions' graphs. */
#pragma once

#include "infer/infer.h"
#include "lab/events/class_choice.h"
#include "lab/events/event_weights.h"

/* Two profiles of one file: its counts, and the samples of one event. */
struct event_twins;

/* NULL: the file cannot be read again, or lacks the event. */
struct event_twins *event_twins_open(const struct lab_recording *recording, const char *event,
                                     struct err *err);
void event_twins_close(struct event_twins *twins);

struct event_overlap {
    double edges;     /* from 0 to 1 */
    double functions; /* by instructions: what no way to infer within functions can exceed */
    double source;    /* edges again, after counts went by way of source lines */
};

/* `source`: compute that, too. Lines take long to read. */
struct event_overlap event_twins_overlap(struct event_twins *twins, enum infer_method method,
                                         bool source);
/* A program, and weights of its events that were found on others. */
struct event_regression {
    const struct event_places *places;
    const struct event_program *program;
    double weights[EVENT_COLUMNS];
};

/* Of edges whose blocks have the counts that a regression makes of all events. */
double event_twins_regressed(struct event_twins *twins, const struct event_regression *regression);
/* Of edges of blocks in classes: by the regression, or by the rules of the paper with other
 * thresholds. */
double event_twins_classified(struct event_twins *twins, const struct event_regression *regression,
                              const struct class_rule *rule);
