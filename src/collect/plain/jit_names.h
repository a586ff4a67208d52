/* Names of code that processes made themselves, for addresses that were seen, from the maps that
 * JIT compilers write for profilers.
 *
 * A map is opened when its process is first met in such code: then it can still be read when the
 * process, its namespace or the file are gone. It is read at the end, when it is whole. */
#pragma once

#include "base/map.h"
#include "base/vec.h"

#include <stdint.h>

struct profile;

struct jit_map {
    uint32_t module;
    int fd;      /* -1: none was found yet */
    int refused; /* errno of one that is there and could not be opened */
    uint32_t pid;
    struct map addresses; /* seen, uint64_t */
};
struct jit_names {
    struct map modules; /* uint32_t; index i owns at[i] */
    VEC(struct jit_map);
};

void jit_names_init(struct jit_names *names);
void jit_names_release(struct jit_names *names);

void jit_names_see(struct jit_names *names, uint32_t pid, uint32_t module, uint64_t address);
/* Looks for maps that were not there when their process was first met. */
void jit_names_look(struct jit_names *names);
/* Adds names to the profile for all that was seen. */
void jit_names_tell(struct jit_names *names, struct profile *profile);
