/* What an instruction is called in AT&T syntax, as GNU as takes it: Zydis's formatter has that
 * syntax, but Intel's names with a letter behind them. */
#pragma once

#include <Zydis/Zydis.h>

enum { ATT_NAME_MAX = 32 };

/* The mnemonic with the letter for its size, where operands do not tell it. */
void att_name(const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operands,
              char name[ATT_NAME_MAX]);

/* Leaves out operands that nobody writes: the register of a long nop. */
void att_trim(ZydisDecodedInstruction *instruction);
