#include "analysis/values/value_forgets.h"

#include "program/insn/decoded.h"

/* What is the same of every value, if both sources are one register. */
static bool forgets(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_XOR:
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_PXOR:
    case ZYDIS_MNEMONIC_XORPS:
    case ZYDIS_MNEMONIC_XORPD:
    case ZYDIS_MNEMONIC_VPXOR:
    case ZYDIS_MNEMONIC_VPXORD:
    case ZYDIS_MNEMONIC_VPXORQ:
    case ZYDIS_MNEMONIC_VXORPS:
    case ZYDIS_MNEMONIC_VXORPD:
    case ZYDIS_MNEMONIC_PCMPEQB:
    case ZYDIS_MNEMONIC_PCMPEQW:
    case ZYDIS_MNEMONIC_PCMPEQD:
    case ZYDIS_MNEMONIC_VPCMPEQB:
    case ZYDIS_MNEMONIC_VPCMPEQW:
    case ZYDIS_MNEMONIC_VPCMPEQD: return true;
    default: return false;
    }
}

bool value_forgets(const struct decoded *decoded)
{
    const ZydisDecodedOperand *operands = decoded->operands;
    uint8_t visible = decoded->instruction.operand_count_visible;
    return forgets(decoded->instruction.mnemonic) && visible >= 2 &&
           operands[visible - 1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           operands[visible - 2].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           operands[visible - 1].reg.value == operands[visible - 2].reg.value;
}
