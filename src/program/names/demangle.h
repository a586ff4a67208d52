/* Readable names of C++ and Rust functions, made once for each.
 *
 * C++ names ("_Z...") go through libstdc++'s __cxa_demangle; Rust's, old ("_ZN...17h<hash>E") and
 * new
 * ("_R..."), through rust_name.c. What a compiler put behind a name (".cold", ".isra.0", "@plt")
 * stays behind the readable one. */
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

/* The same pointer back if it is not mangled or cannot be read; else text that lives as long as the
 * demangler. */
const char *demangle(struct demangler *demangler, const char *linkage);
