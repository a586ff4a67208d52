/* PLT stubs and their targets, from the relocation of the slot that each jumps through. */
#pragma once

#include "base/vec.h"
#include "wire/address.h"

struct arena;
struct image;

struct stub {
    struct svma start;
    uint64_t bytes;
    const char *name;     /* of the function behind it; NULL if the slot has none */
    struct svma resolver; /* of an IRELATIVE slot, which has an address instead of a name; else 0 */
};
struct stubs {
    VEC(struct stub); /* by start; covers the PLT sections wholly */
};

void stubs_read(struct stubs *stubs, const struct image *image);
void stubs_release(struct stubs *stubs);
