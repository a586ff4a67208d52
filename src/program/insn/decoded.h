/* One instruction of an image with all its operands, as Zydis has it: for those who ask more of it
 * than disasm.h answers. */
#pragma once

#include "wire/address.h"

#include <Zydis/Zydis.h>
#include <stdbool.h>

struct image;

struct decoded {
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

/* False: there are no bytes, or they are no instruction. */
bool decoded_read(const struct image *image, struct svma at, struct decoded *ret);
