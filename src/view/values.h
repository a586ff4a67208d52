/* What places computed, loaded, divided by, copied: the most frequent values of each, with their shares.
 *
 * A share is a ratio of two sums over batches of walks, and has their interval (Student's t, as many degrees of freedom as batches
 * would have had, had all been alike). No more is claimed than as many throws of a coin allow as
 * there were windows: batches that happen to be alike would say that nothing is left to chance. */
#pragma once

#include "base/vec.h"
#include "view/estimate.h"
#include "view/scene.h"

#include <stdio.h>

struct ink;

enum value_use { /* in the order of what knowing it is worth */
                 VALUE_DIVISOR,
                 VALUE_SIZE,
                 VALUE_LOAD,
                 VALUE_OPERAND,
                 VALUE_RESULT,
                 VALUE_ADDRESS,
                 VALUE_USES
};

struct place_value {
    uint64_t value;
    double count; /* how often it was seen, for certain */
    struct estimate share;
};

struct value_place {
    uint32_t module; /* of the scene */
    uint64_t address;
    uint8_t use;     /* enum value_use */
    uint8_t detail;  /* a register, where there is one */
    bool vector;     /* the lowest word of a vector register */
    double total;    /* how often the place was seen */
    double worth;    /* what it is sorted by: how often it ran and how much alike */
    size_t first, n; /* of values */
};

struct places_values {
    struct scene *scene;
    double total; /* of all places */
    struct {
        VEC(struct place_value);
    } values; /* of each place: the most frequent first */
    VEC(struct value_place);
};

const char *value_use_name(enum value_use use);

void values_make(struct places_values *places, struct scene *scene);
void values_release(struct places_values *places);

struct values_cut {
    size_t limit;
    bool no_values; /* shares alone: values can hold secrets */
};
void values_text(FILE *to, const struct places_values *places, const struct ink *ink,
                 struct values_cut cut);
void values_json(FILE *to, const struct places_values *places, struct values_cut cut);
