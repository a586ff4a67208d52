/* The paths of a whole module: of all functions, the operations that count them.
 *
 * Functions are those of the image itself (symbols.h), without the names of a debug file: it may come and go, numbers must not. */
#pragma once

#include "base/vec.h"
#include "paths/arrivals.h"
#include "paths/ground.h"
#include "paths/number.h"
#include "paths/plan.h"
#include "program/cfg.h"
#include "program/symbols.h"

struct image;

struct path_function {
    struct svma start;
    uint64_t paths; /* 0: it has no code */
    struct path_store store;
    uint32_t cuts; /* nodes that had to be cut */
    bool unsure;
};

struct path_module {
    struct path_functions {
        VEC(struct path_function); /* by function_id */
    } functions;
    struct path_operations operations; /* by from, to; counters and functions from 0 on */
    uint32_t counters;                 /* that they take */
    struct path_arrivals arrivals;
};

struct path_options {
    enum path_ticks ticks; /* time along paths, too */
    bool in_nodes;         /* of each calling context apart; not of stubs, which have none */
    uint32_t counters;     /* so many may be used */
};

/* By all cores; the same whatever their number. */
void path_module_make(struct path_module *module, const struct image *image,
                      const struct symbols *symbols, struct path_options options);
void path_module_release(struct path_module *module);

/* One function as it is numbered, with all that is needed to read its paths. */
struct path_reading {
    struct cfg cfg;
    struct ground ground;
    struct path_numbering numbering;
};

/* False: it has no code, and there is nothing to close. */
bool path_reading_open(struct path_reading *reading, const struct image *image,
                       const struct symbols *symbols, const struct path_arrivals *arrivals,
                       function_id function);
void path_reading_close(struct path_reading *reading);
