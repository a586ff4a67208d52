/* Names of JIT code, for sampled addresses, from the perf maps that JIT compilers write.
 *
 * A map is opened when its process is first sampled in such code: then it can be read after the
 * process, its namespace or the file are gone. It is read at the end, when it is complete. */
#pragma once

#include "base/map.h"
#include "base/vec.h"

#include <stdint.h>

struct profile;

struct jit_map {
    uint32_t module;
    int fd;      /* -1: not found yet */
    int refused; /* errno of a map that could not be opened */
    uint32_t pid;
    struct map addresses; /* sampled, uint64_t */
};
struct jit_names {
    struct map modules; /* uint32_t; index i owns at[i] */
    VEC(struct jit_map);
};

void jit_names_init(struct jit_names *names);
void jit_names_release(struct jit_names *names);

void jit_names_see(struct jit_names *names, uint32_t pid, uint32_t module, uint64_t address);
/* Searches again for maps that were missing. */
void jit_names_look(struct jit_names *names);
/* Adds the names of all sampled addresses to the profile. */
void jit_names_tell(struct jit_names *names, struct profile *profile);
