/* What a customisation module makes of windows. Tuples of the instructions that it wants go to it,
 * window by window. Pairs of place and value come back and are counted: the most frequent values of
 * each place go into the batch.
 *
 * Values with a row are also stored as text, formatted by the module, so that views need no module.
 */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "process/images.h"
#include "collect/modules/module_host.h"
#include "values/payloads.h"
#include "profile/batch.h"
#include "profile/value_kinds.h"
#include "compress/hotlist.h"

enum { MODULE_TEXTS = 1024 }; /* values with a text, at most */

struct module_place {
    struct place at;
    uint32_t kinds; /* that the module wants of it */
    bool touched;
    struct hotlist hot; /* since the last batch */
    uint64_t window, windows;
};

struct module_values {
    struct payload_consumer consumer;
    struct module_host *host; /* NULL: no module */
    const struct units *units;
    struct random random;
    uint64_t window, lost; /* number of windows; those without an answer */
    uint64_t untold;       /* tuples beyond the limit of a window */
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
    struct map texts;          /* values with a text */
};

void module_values_init(struct module_values *values, const struct units *units);
void module_values_release(struct module_values *values);
/* The batch is about to be closed. */
void module_values_flush(struct module_values *values, struct batch *batch,
                         struct profile *profile);
