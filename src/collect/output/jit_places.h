/* Names of code made at run time, for all places that a recording has of it: from the maps that JIT
 * compilers write (program/names/perf_map.h, jit_dump.h). Of dumps, code and lines are kept, too.
 */
#pragma once

struct places;
struct profile;

enum jit_sources { JIT_ALL, JIT_DUMPS /* names of perf maps were found otherwise */ };

/* Adds the names to `ret`. The places are those of modules of `profile`. */
void jit_places_name(struct profile *ret, const struct places *places,
                     const struct profile *profile, enum jit_sources sources);
