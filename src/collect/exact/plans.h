/* Plans for exact runs (wire/plan.h) from a file (record --plan): publishes them for mappings, and
 * adds up their counters.
 *
 * Each line of the file is MODULE FROM TO ACTION COUNTER VALUE.
 *
 * MODULE has no folder. FROM and TO are addresses as linked, in hexadecimal; FROM 0: at an
 * instruction, 1: at the arrival. ACTION is set, add, count0, count5, count8, count13, count16,
 * path, keep, back or nothing; with + after it: and ticks. COUNTER starts at 1. */
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
    uint32_t line;
    struct wire_plan operation;
};

struct plans {
    struct arena arena;
    struct {
        VEC(struct plan_line);
    } lines;           /* sorted by module, place and line */
    uint32_t counters; /* highest number in use */
    void *library;     /* the same lines, in the shared memory */
    struct {
        VEC(uint64_t);
    } counts; /* of all ended processes, by counter */
    struct {
        VEC(struct wire_path);
    } paths; /* of all ended processes, by table */
};

bool plans_open(struct plans *plans, const char *path, struct err *err);
void plans_release(struct plans *plans);
/* Copies them to the shared library. False: no room. */
bool plans_share(struct plans *plans, const struct share *share, struct err *err);

/* Publishes the plan of a mapping of the file `path`, whose code is `bias` above its linked
 * address, if there is one and there is room. */
void plans_map(const struct plans *plans, struct channel *channel, const struct wire_map *map,
               const char *path, uint64_t bias);
/* All mappings within the first maps_bytes have been answered. */
void plans_answer(struct channel *channel, uint64_t maps_bytes);

/* A process has ended: adds its counters. */
void plans_take(struct plans *plans, struct banks *banks, const struct unit_paths *known);
/* Writes lines COUNTER COUNT, if not 0; then path FUNCTION PATH COUNT TICKS. */
bool plans_dump(const struct plans *plans, const char *path, struct err *err);
