/* One decoded instruction with all operands, for code that needs more than disasm.h. */
#pragma once

#include "wire/address.h"

#include <Zydis/Zydis.h>
#include <stdbool.h>

struct image;

struct decoded {
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

/* False: the bytes are missing or do not decode. */
bool decoded_read(const struct image *image, struct svma at, struct decoded *ret);
