/* The map that a JIT compiler writes for profilers: "START SIZE NAME" a line, both numbers hex.
 *
 * Compilers reuse memory and only ever append: where entries overlap, the later one has the place.
 */
#pragma once

#include "base/memory.h"
#include "base/vec.h"
#include "program/dwarf/paint.h"
#include "wire/address.h"

#include <stdbool.h>
#include <stdint.h>

struct err;

struct perf_map {
    struct arena arena;
    struct perf_names {
        VEC(const char *);
    } names;
    struct reused {
        VEC(bool);
    } reused;                   /* of each name: its place had another before */
    struct stretches stretches; /* by start, disjoint; value: index of the name */
    size_t n_bad;               /* lines that make no sense, left out */
    const char *first_bad;      /* "PATH: line 3: reason"; NULL: none */
};

/* False: there is no such file, or it cannot be read. A broken line costs itself alone. */
bool perf_map_read(struct perf_map *map, const char *path, struct err *err);
/* The same for text in memory; path is for what it says. */
void perf_map_parse(struct perf_map *map, const char *path, const char *text, size_t bytes);
void perf_map_release(struct perf_map *map);

/* Where the map of a process lies: /tmp/perf-PID.map as the process sees /tmp and its own id, which
 * in a container are not ours. False: there is none. */
bool perf_map_path(int pid, char *ret_path, size_t room);

/* The name at an address, and the stretch of it that nothing newer has taken. NULL: none. */
const char *perf_map_find(const struct perf_map *map, struct avma at, struct avma *ret_start,
                          uint64_t *ret_bytes);
/* Whether the code there was made in place of something of another name: what was seen there may be
 * either's. */
bool perf_map_reused(const struct perf_map *map, struct avma at);
