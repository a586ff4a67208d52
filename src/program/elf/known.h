/* What is known of a module whose file is not there, because a profile kept it (src/keep).
 *
 * An image that has this answers like the file did, for the functions that were kept: symbols,
 * evidence and starts come from here, code from the image's bytes, lines and inlined functions from
 * its debug file, which is made of what was kept, too. */
#pragma once

#include "base/memory.h"
#include "base/vec.h"
#include "program/elf/evidence.h"
#include "wire/address.h"

#include <stdbool.h>
#include <stdint.h>

struct known_function {
    const char *name;
    struct svma start;
    uint8_t source; /* enum function_source */
};
struct known_range {
    struct svma start;
    uint64_t bytes;
    uint32_t function;
};

struct known {
    struct arena arena;
    struct known_functions {
        VEC(struct known_function); /* by start */
    } functions;
    struct known_ranges {
        VEC(struct known_range); /* by start, disjoint */
    } ranges;
    struct evidence evidence;
    struct known_addresses {
        VEC(struct svma);
    } starts;                        /* functions that the system or the loader calls */
    struct known_addresses arrivals; /* where control may enter functions but at their start */
    bool fs_discriminators;          /* of clang's FS-AFDO */
    const char *lacking;             /* what its debug information lacked; NULL: nothing */
};

void known_release(struct known *known);
