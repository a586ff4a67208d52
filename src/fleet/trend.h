/* What functions of a service took over days and builds, out of rows that roll-ups keep. */
#pragma once

#include "analysis/counts/estimate.h"
#include "base/intern.h"
#include "store/store.h"

struct trend_cell {
    double amount, variance;
};

struct trend_function {
    uint32_t name;                  /* of names: "MODULE\nFUNCTION" */
    struct trend_cell all;          /* over the whole time */
    struct trend_cell last, before; /* in the last build, and in the one before */
    struct trend_amounts {
        VEC(double);
    } periods, builds;      /* amounts; may be shorter than those of the trend */
    struct estimate change; /* of its share, from the build before to the last */
    bool sure;              /* beyond its interval, widened for the number of functions */
};

struct trend {
    struct intern names, builds;
    const char *service, *kind;
    int64_t first_hour, period_hours;
    struct trend_amounts periods; /* of all functions */
    struct trend_builds {
        VEC(struct trend_build {
            int64_t first_hour;
            double whole;
        });
    } by_build; /* by number in `builds` */
    struct trend_build last_build, build_before;
    const char *last, *before; /* build-ids; before: NULL if there is only one */
    double whole;
    uint64_t waiting;           /* recordings that match, and that no roll-up has added yet */
    VEC(struct trend_function); /* heaviest first */
};

/* Of the store's question. Fails if nothing that was rolled up matches, or more than one service or
 * kind does, or if it asks for a machine: what is rolled up is of all. */
bool trend_read(struct store *store, struct trend *ret_trend, struct err *err);
void trend_release(struct trend *trend);

struct estimate trend_share(const struct trend *trend, const struct trend_function *function);
