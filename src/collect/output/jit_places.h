/* Names of code made at run time, for all places that a recording has of it: from the maps that JIT
 * compilers write (program/names/perf_map.h). */
#pragma once

struct places;
struct profile;

/* Adds the names to `ret`. The places are those of modules of `profile`. */
void jit_places_name(struct profile *ret, const struct places *places,
                     const struct profile *profile);
