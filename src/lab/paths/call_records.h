/* The calling context tree of a recording, as Ammons, Ball and Larus (1997) define it.
 *
 * A profile's stacks have a node for each call site on the way to a function, and one for the
 * function itself. Here a record is a function in one context: all nodes that lie in the function
 * and have the same caller. A recursive call leads back to the record above that has the function,
 * so the tree is no deeper than the program has functions. */
#pragma once

#include "base/map.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct scene;
struct stacks;

#define CALL_RECORD_NONE UINT32_MAX

struct call_record {
    uint32_t parent;   /* CALL_RECORD_NONE: a thread begins here */
    uint32_t function; /* index in functions */
    uint32_t children;
    uint32_t depth; /* from 1 on */
};

/* A function, or a place that no function has. */
struct call_function {
    uint32_t module; /* of the scene */
    uint32_t function;
    uint64_t address; /* of a place; 0: of a function */
};

/* A call in a record. */
struct call_site {
    uint32_t record, module; /* of the profile */
    uint64_t last;           /* the last byte of the call, or of the jump that is one */
};

struct call_records {
    struct scene *scene;
    bool merged;          /* calls of a function from several sites of a record lead to one */
    struct map keys;      /* finds records */
    struct map functions; /* struct call_function */
    struct map sites;     /* struct call_site: those that lead to a record */
    VEC(struct call_record);
};

void call_records_init(struct call_records *records, struct scene *scene, bool merged);
void call_records_release(struct call_records *records);
/* Adds the contexts of all nodes that weigh something. */
void call_records_take(struct call_records *records, const struct stacks *stacks);
/* The record of a node that is not a thread's; added if it is new. Modules are those of side 0. */
uint32_t call_record_of(struct call_records *records, const struct stacks *stacks, uint32_t node);
