/* What can be said of an instruction in rules of a core: enum rule_word. */
#pragma once

#include <Zydis/Zydis.h>

#include <stdint.h>

uint32_t insn_words(const ZydisDecodedInstruction *instruction,
                    const ZydisDecodedOperand *operands);
