/* Readable names, shortened to fit a line. */
#pragma once

#include <stddef.h>

/* "int a::b<c>::d(e) const" -> "a::b<c>::d". Brackets nest; a space outside of them ends a return
 * type. "operator()" keeps its own brackets, a stub its "@plt". */
void name_bare(const char *readable, char *bare, size_t room);
/* Removes template arguments and parameters in place: "a::b<c>::d" -> "a::b::d". Of a Rust impl
 * block it keeps the type: "<a::B<c> as D>::e" -> "a::B::e", "a::<impl b::D for b::C>::e" ->
 * "a::C::e". */
void name_untemplated(char *name);

/* The name if it fits the width. Else it drops parameters, then template arguments, then namespaces
 * (type and method stay), then the type; at last it truncates. */
void name_brief(const char *readable, char *brief, size_t room, size_t width);
