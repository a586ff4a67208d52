/* Rust's newer mangling ("v0"): a path, read by descending through its grammar. */
#pragma once

#include <stddef.h>

struct text_out;

/* How many bytes of the name were read; 0: it is not one. */
size_t rust_path_put(struct text_out *out, const char *linkage, size_t bytes);
