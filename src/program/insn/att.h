/* Mnemonics in AT&T syntax, as GNU as accepts them. Zydis formats operands in that syntax, but
 * appends size letters to Intel mnemonics. */
#pragma once

#include <Zydis/Zydis.h>

enum { ATT_NAME_MAX = 32 };

/* The mnemonic, with a size letter where the operands do not give the size. */
void att_name(const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operands,
              char name[ATT_NAME_MAX]);

/* Removes operands that are not written: the register of a long nop. */
void att_trim(ZydisDecodedInstruction *instruction);
