/* Rust's two ways of writing a path as a linker name, read back.
 *
 * Old: C++'s nested names with a last part "h" and 16 hex digits, and letters that C++ does not
 * allow written as "$LT$". New: a grammar of its own, "_R...", with back references. The hash is
 * left out, as rustc's own tools do. */
#pragma once

#include <stddef.h>

struct arena;

/* NULL: not a name of Rust's. `bytes` is the length of linkage. */
const char *rust_name(struct arena *arena, const char *linkage, size_t bytes);
