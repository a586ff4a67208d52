/* Python functions as a module of a profile: "[python]".
 *
 * Python code has no addresses that mean anything elsewhere, so each function gets some: a start
 * made of its name, file and first line, and one address for each line. Every recording gives the
 * same function the same addresses, so profiles can be merged. What a profile keeps of the module
 * has names and lines, and views need not know that it is none of machine code. */
#pragma once

#include "base/map.h"
#include "base/memory.h"
#include "base/vec.h"

#include <stdint.h>

struct profile;

struct python_function {
    const char *name, *file;
    uint32_t first_line;
    uint64_t start;
};

struct python_functions {
    struct arena arena;
    struct map starts; /* index i is of at[i] */
    VEC(struct python_function);
    struct map seen; /* addresses of lines */
    uint32_t module; /* of the profile; MODULE_NONE: no function yet */
};

void python_functions_init(struct python_functions *functions);
void python_functions_release(struct python_functions *functions);

/* The index of the function. */
uint32_t python_functions_add(struct python_functions *functions, const char *name,
                              const char *file, uint32_t first_line);
/* The address of a line of the function, 0: of no line. */
uint64_t python_functions_line(struct python_functions *functions, uint32_t function,
                               uint32_t line);
/* Adds what the profile is to keep. */
void python_functions_keep(const struct python_functions *functions, struct profile *profile);
