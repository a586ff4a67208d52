/* Classes of instructions by what they do, not by mnemonic. An instruction may be in several. */
#pragma once

#include "wire/address.h"

#include <stdbool.h>
#include <stdint.h>

struct image;

/* name, sentence */
#define OPCLASSES(CLASS)                                                                           \
    CLASS(load, "reads memory: also pop, ret and whatever else does")                              \
    CLASS(store, "writes memory: also push and call")                                              \
    CLASS(branch, "jumps, conditional or not")                                                     \
    CLASS(call, "calls")                                                                           \
    CLASS(return, "returns")                                                                       \
    CLASS(div, "divides integers")                                                                 \
    CLASS(string, "is one of movs, stos, scas, cmps, lods, repeated or not")                       \
    CLASS(vector, "uses a vector register")                                                        \
    CLASS(float, "calculates with floating point numbers, or moves them as such")

enum opclass {
#define OPCLASS_ENUM(name, text) OPCLASS_##name,
    OPCLASSES(OPCLASS_ENUM)
#undef OPCLASS_ENUM
        OPCLASS_N
};

/* "load" and so on. */
const char *opclass_name(enum opclass opclass);
/* False: no class has that name. */
bool opclass_parse(const char *name, enum opclass *ret_opclass);

/* A bit for each class of the instruction, and its length; false: there is no whole instruction. */
bool opclass_at(const struct image *image, struct svma at, uint32_t *ret_classes,
                uint8_t *ret_bytes);
