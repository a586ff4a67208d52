/* Values that are addresses in a module of the process: as (module, svma) they are the same in
 * every run, and have names. */
#pragma once

#include "base/vec.h"
#include "process/mappings.h"

/* The memory of a module, code and data. */
struct value_extent {
    uint64_t start, end; /* avma */
    uint64_t shift;      /* svma = avma + shift */
    uint32_t module;
};

struct module_span {
    bool read;
    uint64_t low, high; /* svma of the first byte, and after the last; equal: not known */
};

struct value_pointers {
    struct mappings *mappings;
    uint64_t changes; /* of the mappings when extents were computed, plus 1; 0: never */
    struct {
        VEC(struct value_extent);
    } extents; /* by start */
    struct {
        VEC(struct module_span);
    } spans; /* by module */
};

void value_pointers_init(struct value_pointers *pointers, struct mappings *mappings);
void value_pointers_release(struct value_pointers *pointers);
/* Updates the extents. */
void value_pointers_follow(struct value_pointers *pointers);
/* MODULE_NONE: it is no address. */
struct place value_pointers_find(struct value_pointers *pointers, uint64_t value);
