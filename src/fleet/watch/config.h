/* What gait watch is told: a text of lines.
 *
 *     # where recordings go
 *     store = sqlite:/var/lib/gait/fleet.db
 *     budget = 0.1
 *     watch name=nginx* service=web
 *     watch cgroup=/system.slice/db* user=postgres
 *     watch hottest=3
 *     leave name=sshd
 */
#pragma once

#include "base/memory.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct err;

/* A process fits if it fits all that is not NULL; globs. */
struct watch_rule {
    bool leave;
    const char *name, *cgroup, *user;
    const char *service; /* NULL: the program's name */
    uint32_t hottest;    /* of those that fit, at most so many in a round; 0: all */
};

struct watch_config {
    const char *store, *spool, *machine, *mode;
    double budget;           /* per cent of the CPU time of all CPUs */
    double every_s, seconds; /* a round, and of that each recording */
    double send_s;           /* what began in so long is sent as one; 0: each recording alone */
    double send_bytes;       /* of sums, a day: when more was sent, the next wait */
    uint64_t spool_bytes;
    uint64_t store_bytes; /* of a store in a file; 0: any */
    bool values;
    bool whole; /* also send what push_options.compact leaves out */
    struct watch_rules {
        VEC(struct watch_rule);
    } rules;
};

/* Texts live in the arena, or in the text; the caller releases the rules. */
bool watch_config_read(struct arena *arena, const char *path, struct watch_config *ret_config,
                       struct err *err);
bool watch_config_parse(const char *name, char *text, struct watch_config *ret_config,
                        struct err *err);
