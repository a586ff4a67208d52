/* Functions of a binary as BOLT knows and calls them.
 *
 * BOLT makes a function of every function symbol that lies in no other, ".cold" parts included, and
 * tells local symbols of one name apart by a number: "name/1", "name/2", in the order of their
 * addresses, whatever kind of symbol they are. Stubs of the PLT are "name@PLT". Code that has a
 * frame description only is named after its address, whatever a debug file says: BOLT does not look
 * there. */
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
