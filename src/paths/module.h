/* The paths of a module: of each function that is asked for, the operations that count them.
 *
 * Functions are those of the image itself (symbols.h), without the names of a debug file: it may
 * come and go, numbers must not. */
#pragma once

#include "base/vec.h"
#include "paths/arrivals.h"
#include "paths/ground.h"
#include "paths/number.h"
#include "paths/plan.h"
#include "program/cfg/cfg.h"
#include "program/symbols/symbols.h"

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
    struct path_arrivals arrivals;
};

struct path_options {
    enum path_ticks ticks;  /* time along paths, too */
    bool in_nodes;          /* of each calling context apart; not of stubs, which have none */
    uint32_t counter;       /* the first that is free, */
    uint32_t counters_left; /* and how many may be used */
    bool plenty;            /* functions with many paths may have them, too */
};

/* Numbers no path yet. */
void path_module_open(struct path_module *module, const struct image *image,
                      const struct symbols *symbols);
void path_module_release(struct path_module *module);
/* Plans one function: its operations, by from and to; functions in them are numbered from 0 on.
 * Returns how many counters they take. */
uint32_t path_module_plan(struct path_module *module, const struct image *image,
                          const struct symbols *symbols, function_id function,
                          const struct path_options *options, struct path_operations *ret);

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
