/* Where statements begin, by the compiler's line table. Includes statements whose code was moved
 * or removed. */
#pragma once

#include "base/vec.h"

#include <stddef.h>
#include <stdint.h>

struct binary;

struct statement {
    uint64_t at;
    const char *file;
    uint32_t line, column, discriminator;
};

struct statements {
    VEC(struct statement); /* by address, else as the compiler has them */
};

/* The binary's lines have been read, and outlive the statements. */
void statements_read(struct statements *statements, const struct binary *binary);
/* The first at an address or behind it. */
size_t statements_from(const struct statements *statements, uint64_t at);
