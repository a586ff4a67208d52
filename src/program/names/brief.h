/* Readable names cut to what fits on a line. */
#pragma once

#include <stddef.h>

/* "int a::b<c>::d(e) const" -> "a::b<c>::d". Brackets nest; a space outside of them ends a return
 * type. "operator()" keeps its own brackets, a stub its "@plt". */
void name_bare(const char *readable, char *bare, size_t room);
/* Template arguments and parameters left out, in place: "a::b<c>::d" -> "a::b::d"; of Rust's blocks
 * the type: "<a::B<c> as D>::e" -> "a::B::e", "a::<impl b::D for b::C>::e" -> "a::C::e". */
void name_untemplated(char *name);

/* The name as it is if it fits into the width; else without parameters, then without template
 * arguments, then without namespaces, which leaves the type and the method, then the method alone,
 * then cut. */
void name_brief(const char *readable, char *brief, size_t room, size_t width);
