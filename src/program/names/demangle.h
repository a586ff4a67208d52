/* Readable names of C++ and Rust functions, cached.
 *
 * C++ names ("_Z...") go through libstdc++'s __cxa_demangle. Rust names, old ("_ZN...17h<hash>E")
 * and new ("_R..."), go through rust_name.c. Suffixes of compilers and linkers (".cold", ".isra.0",
 * "@plt") are kept. */
#pragma once

#include "base/map.h"
#include "base/memory.h"
#include "base/vec.h"

struct demangler {
    struct arena arena;
    struct map known; /* hash of a linkage name -> index */
    struct demangled {
        VEC(struct demangled_name);
    } names;
};

struct demangled_name {
    const char *linkage, *readable;
};

void demangler_init(struct demangler *demangler);
void demangler_release(struct demangler *demangler);

/* Returns `linkage` itself if it is not mangled or not readable, else text that lives as long as
 * the demangler. */
const char *demangle(struct demangler *demangler, const char *linkage);
