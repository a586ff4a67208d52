/* Demangles Rust's two manglings.
 *
 * Old: C++ nested names whose last part is "h" and 16 hex digits; letters that C++ forbids are
 * written like "$LT$". New: a grammar of its own, "_R...", with back references. The hash is
 * dropped, as rustc's own tools do. */
#pragma once

#include <stddef.h>

struct arena;

/* NULL: not a Rust name. `bytes` is the length of linkage. */
const char *rust_name(struct arena *arena, const char *linkage, size_t bytes);
