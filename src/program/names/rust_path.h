/* Rust's newer mangling ("v0"), read by recursive descent. */
#pragma once

#include <stddef.h>

struct text_out;

/* Returns the bytes read; 0: not a v0 name. */
size_t rust_path_put(struct text_out *out, const char *linkage, size_t bytes);
