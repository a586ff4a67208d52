/* What a customisation module makes of windows: tuples of the instructions that it wants go to it,
 * window by window, and the pairs of place and value that come back are counted, the most frequent
 * values of each place, and go into the batch.
 *
 * Values that are told are kept as text, too, as the module formats them: whoever shows the profile
 * needs no module. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "process/images.h"
#include "collect/modules/module_host.h"
#include "values/payloads.h"
#include "profile/batch.h"
#include "profile/value_kinds.h"
#include "compress/hotlist.h"

enum { MODULE_TEXTS = 1024 }; /* values that have a text, at most */

struct module_place {
    struct place at;
    uint32_t kinds; /* wanted of it */
    bool touched;
    struct hotlist hot; /* since the last batch */
    uint64_t window, windows;
};

struct module_values {
    struct payload_consumer consumer;
    struct module_host *host; /* NULL: there is no module */
    const struct units *units;
    struct random random;
    uint64_t window, lost; /* counts windows; those that got no answer */
    uint64_t untold;       /* tuples that were too many for a window */
    struct map keys;       /* address and module of a place */
    struct {
        VEC(struct module_place);
    } places;
    struct {
        VEC(uint32_t);
    } touched;
    struct images images;
    uint32_t n_tuples;
    struct gait_tuple *tuples; /* MODULE_TUPLES, of this window */
    struct map texts;          /* values that were told */
};

void module_values_init(struct module_values *values, const struct units *units);
void module_values_release(struct module_values *values);
/* A batch is closed. */
void module_values_flush(struct module_values *values, struct batch *batch,
                         struct profile *profile);
