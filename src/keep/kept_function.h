/* One function as a profile keeps it: name, ranges, code, lines and inlined functions. FORMAT.md
 * describes its bytes. */
#pragma once

#include "base/bytes.h"
#include "base/memory.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct err;

struct kept_range {
    uint64_t start, bytes;
    const uint8_t *code; /* NULL: only the name is kept */
};
/* From `start` up to the next row of the range, or the end of the range. */
struct kept_line {
    uint64_t start;
    uint32_t file; /* index of files, plus 1; 0: no line is known */
    uint32_t line, column, discriminator;
};
/* A function, or one that is inlined into its parent. */
struct kept_node {
    uint32_t parent;    /* index, plus 1, always of one before; 0: it is not inlined */
    uint32_t name;      /* index of names, plus 1; 0: none */
    uint32_t decl_line; /* where it is declared; 0: not known */
    uint32_t call_file, call_line, call_column, discriminator; /* call_file: as in kept_line */
};
struct kept_span {
    uint64_t start;
    uint32_t node; /* index, plus 1; 0: no function is known */
};

struct kept_texts {
    VEC(const char *);
};
struct kept_function {
    uint64_t start;
    const char *name;
    uint32_t source; /* enum function_source */
    bool has_code, has_lines;
    struct kept_ranges {
        VEC(struct kept_range); /* the main one first */
    } ranges;
    struct kept_arrivals {
        VEC(uint64_t); /* where control may enter but at the start */
    } arrivals;
    struct kept_texts files, names;
    struct kept_lines {
        VEC(struct kept_line); /* by range, by start */
    } lines;
    struct kept_nodes {
        VEC(struct kept_node);
    } nodes;
    struct kept_spans {
        VEC(struct kept_span); /* by range, by start */
    } spans;
};

/* Forgets all but the memory. */
void kept_function_clear(struct kept_function *function);
void kept_function_release(struct kept_function *function);

/* Which bytes of a part are code. */
struct kept_code {
    size_t at, n;
};
struct kept_code kept_function_encode(const struct kept_function *function,
                                      struct bytes *ret_bytes);
/* Whether the encoded function has lines, or claims to. */
bool kept_function_lined(const uint8_t *bytes, size_t n);
/* Texts and code point into the arena and the bytes. On failure the function is of no use. */
bool kept_function_decode(struct kept_function *function, struct arena *arena, uint64_t start,
                          const uint8_t *bytes, size_t n, struct err *err);
