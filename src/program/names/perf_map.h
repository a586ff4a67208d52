/* The map that a JIT compiler writes for profilers: a line "START SIZE NAME" per function, both
 * numbers hexadecimal.
 *
 * Compilers reuse memory and only append to the map. Where entries overlap, the later one wins. */
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
    } reused;                   /* for each name: its memory had another name before */
    struct stretches claims;    /* of all entries, as they came; value: index of the name */
    struct stretches stretches; /* by start, disjoint; value: index of the name */
    size_t n_bad;               /* invalid lines, skipped */
    const char *first_bad;      /* "PATH: line 3: reason"; NULL: none */
};

/* False: the file is missing or unreadable. An invalid line is skipped. */
bool perf_map_read(struct perf_map *map, const char *path, struct err *err);
/* The same for text in memory; path is for messages. */
void perf_map_parse(struct perf_map *map, const char *path, const char *text, size_t bytes);
void perf_map_release(struct perf_map *map);

/* Adds an entry, as if it stood at the end of the map, and returns the index of its name;
 * perf_map_settle must follow. */
uint32_t perf_map_claim(struct perf_map *map, struct avma start, uint64_t bytes, const char *name,
                        size_t n);
void perf_map_settle(struct perf_map *map);
#define PERF_MAP_NONE UINT32_MAX
/* The index of the name at an address; PERF_MAP_NONE: none. */
uint32_t perf_map_index(const struct perf_map *map, struct avma at);

/* The path of a process's map: /tmp/perf-PID.map, with /tmp and the pid as that process sees them
 * (it may run in a container). False: there is none. */
bool perf_map_path(int pid, char *ret_path, size_t room);

/* The name at an address, and the part of its range that no later entry took. NULL: none. */
const char *perf_map_find(const struct perf_map *map, struct avma at, struct avma *ret_start,
                          uint64_t *ret_bytes);
/* Whether the code here replaced code of another name. A sample here may belong to either. */
bool perf_map_reused(const struct perf_map *map, struct avma at);
