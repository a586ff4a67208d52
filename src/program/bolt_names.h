/* The functions of a binary under the names that BOLT gives them.
 *
 * BOLT makes a function of every function symbol that lies in no other, ".cold" parts included. It
 * numbers local symbols of one name in address order: "name/1", "name/2". PLT stubs are "name@PLT".
 * Code with a frame description only is named by its address, even if a debug file names it: BOLT
 * does not read debug files. */
#pragma once

#include "base/map.h"
#include "base/memory.h"
#include "base/vec.h"
#include "wire/address.h"

#include <stdbool.h>
#include <stdint.h>

struct binary;

struct bolt_function {
    uint64_t start, end;
    const char *name;
};

struct bolt_names {
    struct arena arena;
    VEC(struct bolt_function); /* by start, disjoint */
};

void bolt_names_read(struct bolt_names *names, const struct binary *binary);
void bolt_names_release(struct bolt_names *names);
/* NULL: BOLT has no function there. */
const struct bolt_function *bolt_names_find(const struct bolt_names *names, uint64_t at);
