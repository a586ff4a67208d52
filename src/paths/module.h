/* The paths of a module: for each requested function, the operations that count them.
 *
 * Functions are those of the image itself (symbols.h), without a debug file: that may appear or
 * disappear, and numbers must not change. */
#pragma once

#include "base/vec.h"
#include "paths/arrivals.h"
#include "paths/ground.h"
#include "paths/number.h"
#include "paths/plan.h"
#include "program/cfg/cfg.h"
#include "program/symbols/symbols.h"

struct image;

/* Whether an activation may be left for good in its middle, by longjmp or an exception: a path that
 * does not end is not counted. Each includes those after it. */
enum path_leaving {
    LEAVING_NEVER,
    LEAVING_BY_STUB,    /* where the module throws: it calls a function of another that may throw */
    LEAVING_BY_CALL,    /* where the module does either: it calls a function of the module */
    LEAVING_BY_POINTER, /* where any module does: it calls what it does not know, or jumps itself */
    LEAVING_BY_KERNEL,  /* in any case: a system call may end it, or execute another program; or it
                           is where programs begin, under way when the recording begins */
};

struct path_function {
    struct svma start;
    uint64_t paths; /* 0: no code */
    struct path_store store;
    uint32_t cuts; /* nodes where paths were cut */
    bool unsure;
    enum path_leaving leaving;
    bool covered; /* its paths tell what ran, for who asked for that */
};

struct path_module {
    struct path_functions {
        VEC(struct path_function); /* by function_id */
    } functions;
    struct path_arrivals arrivals;
};

struct path_options {
    enum path_ticks ticks;  /* time paths too */
    bool in_nodes;          /* separate for each calling context; not for stubs */
    uint32_t counter;       /* first free counter */
    uint32_t counters_left; /* and how many may be used */
    bool plenty;            /* functions with many paths may use them too */
};

/* Numbers no paths yet. */
void path_module_open(struct path_module *module, const struct image *image,
                      const struct symbols *symbols);
void path_module_release(struct path_module *module);
/* Plans one function: operations sorted by from and to; functions in them are numbered from 0.
 * Returns the number of counters used. */
uint32_t path_module_plan(struct path_module *module, const struct image *image,
                          const struct symbols *symbols, function_id function,
                          const struct path_options *options, struct path_operations *ret);

/* One numbered function, with all that is needed to decode its paths. */
struct path_reading {
    struct cfg cfg;
    struct ground ground;
    struct path_numbering numbering;
};

/* False: there is no code, and nothing to close. */
bool path_reading_open(struct path_reading *reading, const struct image *image,
                       const struct symbols *symbols, const struct path_arrivals *arrivals,
                       function_id function);
void path_reading_close(struct path_reading *reading);
