/* Plans for exact runs (wire/plan.h): answers to the mappings that a process publishes, and what
 * their counters came to.
 *
 * For now they are read from a file, in lines of
 *     MODULE FROM TO ACTION COUNTER VALUE
 * MODULE without folder, FROM and TO as linked, in hexadecimal, FROM 0: at an instruction, 1: at
 * the arrival; ACTION set, add, count0, count5, count8, count13, count16, path, keep, back or
 * nothing, with + behind it: and ticks; COUNTER from 1 on. */
#pragma once

#include "base/memory.h"
#include "base/vec.h"
#include "wire/channel.h"

#include <stdbool.h>

struct banks;
struct unit_paths;
struct err;
struct share;

enum { PLANS_COUNTERS_MAX = 1 << 20 };

struct plan_line {
    const char *module;
    uint32_t line; /* of the file */
    struct wire_plan operation;
};

struct plans {
    struct arena arena;
    struct {
        VEC(struct plan_line);
    } lines;           /* sorted by module, place and line */
    uint32_t counters; /* 1 .. this are used */
    void *library;     /* the same lines, one behind the other */
    struct {
        VEC(uint64_t);
    } counts; /* of all processes that have ended, by counter */
    struct {
        VEC(struct wire_path);
    } paths; /* likewise, by table */
};

bool plans_open(struct plans *plans, const char *path, struct err *err);
void plans_release(struct plans *plans);
/* Puts them where processes look for them. False: there is no room. */
bool plans_share(struct plans *plans, const struct share *share, struct err *err);

/* A mapping of the file `path`, whose code lies `bias` above where it was linked: its plan goes to
 * the channel, if it has one and there is room. */
void plans_map(const struct plans *plans, struct channel *channel, const struct wire_map *map,
               const char *path, uint64_t bias);
/* All mappings within the first so many bytes have been answered. */
void plans_answer(struct channel *channel, uint64_t maps_bytes);

/* A process has ended: its counters are added. */
void plans_take(struct plans *plans, struct banks *banks, const struct unit_paths *known);
/* Writes them: COUNTER COUNT, what is not zero; then path FUNCTION PATH COUNT TICKS. */
bool plans_dump(const struct plans *plans, const char *path, struct err *err);
