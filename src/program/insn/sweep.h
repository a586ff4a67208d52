/* The instructions of an image as one pass over its code finds them: each symbol of .symtab starts
 * anew, and goes on up to the next one. Sections without symbols, and .plt, have none.
 *
 * That is the code that llvm-profgen knows, so what it believes of branch records follows. A lock
 * prefix is an instruction by itself to it. */
#pragma once

#include "base/vec.h"
#include "wire/address.h"

#include <stdbool.h>
#include <stdint.h>

struct image;
struct instruction;

/* A section. One bit for each byte: whether an instruction starts there, and whether it always goes
 * elsewhere: a jump to a fixed place, a call, a return. */
struct sweep_section {
    uint64_t start, bytes;
    uint64_t *starts, *leaves;
};

struct sweep {
    VEC(struct sweep_section); /* by start */
};

void sweep_make(struct sweep *sweep, const struct image *image);
void sweep_release(struct sweep *sweep);

/* How long the instruction is; 0: there is none. */
uint32_t sweep_bytes(const struct image *image, struct svma at, struct instruction *ret);

bool sweep_starts(const struct sweep *sweep, struct svma at);
/* Whether a straight run from one to the other crosses no instruction that always goes elsewhere,
 * and stays in the section. Both are starts. */
bool sweep_stays(const struct sweep *sweep, struct svma first, struct svma last);
