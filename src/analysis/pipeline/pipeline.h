/* What instructions went through, by place or by the data they loaded: records of hardware or of
 * the model (records/sample.h), summed by metrics (records/ledger.h). */
#pragma once

#include "base/vec.h"
#include "records/ledger.h"
#include "analysis/counts/scene.h"

struct err;

enum pipeline_by {
    PIPELINE_PLACE,
    PIPELINE_PAGE,
    PIPELINE_LINE,
    PIPELINE_OBJECT,
    PIPELINE_EDGE, /* of pairs: from one instruction to the one that retired right behind it */
    PIPELINE_UNIT, /* likewise: an instruction, and the unit that the other was issued to */
    PIPELINE_ALL,
};

struct pipeline_asked {
    enum pipeline_by by;
    const char *value; /* a metric of one's own; NULL: none */
    const char *where; /* only records of which this holds, in all that is shown; NULL: all */
    double width, window, cycles; /* parameters of metrics of pairs */
};

struct pipeline {
    struct scene *scene;
    enum pipeline_by by;
    const char *where;
    const char *core, *core_why; /* of records that a model made of windows; NULL: of others */
    bool of_others; /* which pairs count depends on their other: what stands for all others is not
                       known */
    double window;
    struct metric own[2];
    struct ledger alone, pairs, asked; /* asked: of one's own metric; no metrics if there is none */
    uint32_t *ranking;                 /* rows of `alone`, the weightiest first */
    uint64_t records, of_pairs;
    uint64_t origins[ORIGINS];
    struct pipeline_objects {
        VEC(struct pipeline_object);
    } objects; /* of modules of the profile, read when first asked for */
};

/* "place", "page", "line", "object", "edge", "unit", "all". */
bool pipeline_by_parse(const char *name, enum pipeline_by *ret_by);
/* Of these records; they need not be the profile's, but their modules are. False: an expression is
 * wrong. */
bool pipeline_make(struct pipeline *pipeline, struct scene *scene,
                   const struct sample_list *records, const struct pipeline_asked *asked,
                   struct err *err);
void pipeline_release(struct pipeline *pipeline);

/* The row of another ledger with the key of that row of `alone`; NULL: it has none. */
const struct ledger_row *pipeline_row(const struct pipeline *pipeline, const struct ledger *ledger,
                                      uint32_t row);
/* Of rows by object: the variable's name, or that of the region of memory. */
const char *pipeline_object_name(struct pipeline *pipeline, uint32_t module, uint64_t at);

/* "MODULE+0xOFFSET" of a place of the profile. */
const char *pipeline_place_text(struct pipeline *pipeline, uint64_t module, uint64_t at);
