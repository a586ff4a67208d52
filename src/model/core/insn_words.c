#include "model/core/insn_words.h"

#include "model/core/model.h"

static bool is_gpr(const ZydisDecodedOperand *operand)
{
    if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER)
        return false;
    switch (ZydisRegisterGetClass(operand->reg.value)) {
    case ZYDIS_REGCLASS_GPR8:
    case ZYDIS_REGCLASS_GPR16:
    case ZYDIS_REGCLASS_GPR32:
    case ZYDIS_REGCLASS_GPR64: return true;
    default: return false;
    }
}

static bool is_vec(const ZydisDecodedOperand *operand)
{
    if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER)
        return false;
    switch (ZydisRegisterGetClass(operand->reg.value)) {
    case ZYDIS_REGCLASS_MMX:
    case ZYDIS_REGCLASS_XMM:
    case ZYDIS_REGCLASS_YMM:
    case ZYDIS_REGCLASS_ZMM: return true;
    default: return false;
    }
}

static uint32_t width_word(const ZydisDecodedOperand *operand)
{
    switch (operand->size) {
    case 8: return RULE_W8;
    case 16: return RULE_W16;
    case 32: return RULE_W32;
    case 64: return RULE_W64;
    case 128: return RULE_W128;
    case 256: return RULE_W256;
    case 512: return RULE_W512;
    default: return 0;
    }
}

static bool is_small(int64_t value)
{
    return value >= -1024 && value < 1024;
}

static uint32_t memory_words(const ZydisDecodedOperand *operand)
{
    uint32_t words = 0;
    const ZydisDecodedOperandMem *memory = &operand->mem;
    bool index = memory->index != ZYDIS_REGISTER_NONE;
    if (index && memory->base != ZYDIS_REGISTER_NONE && memory->disp.value)
        words |= RULE_INDEX;
    if (index && memory->scale > 1)
        words |= RULE_SCALED;
    if (!index && memory->base >= ZYDIS_REGISTER_RAX && memory->base <= ZYDIS_REGISTER_R15 &&
        is_small(memory->disp.value))
        words |= RULE_OFFSET;
    if (memory->type == ZYDIS_MEMOP_TYPE_AGEN)
        return words | RULE_REG;
    if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
        words |= RULE_LOAD;
    if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
        words |= RULE_STORE;
    return words;
}

static uint32_t last_words(const ZydisDecodedOperand *operand)
{
    uint32_t words = 0;
    if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
        words |= RULE_IMM | (operand->imm.value.u == 1 ? RULE_ONE : 0) |
                 (is_small(operand->imm.value.s) ? RULE_SMALL : 0);
    if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER && operand->reg.value == ZYDIS_REGISTER_CL)
        words |= RULE_CL;
    return words;
}

static bool is_high(const ZydisDecodedOperand *operand)
{
    return operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
           operand->reg.value >= ZYDIS_REGISTER_AH && operand->reg.value <= ZYDIS_REGISTER_BH;
}

/* The last two visible operands are one register: for two operands and for three. */
static bool sources_same(const ZydisDecodedInstruction *instruction,
                         const ZydisDecodedOperand *operands)
{
    uint8_t n = instruction->operand_count_visible;
    return n >= 2 && operands[n - 1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           operands[n - 2].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           operands[n - 1].reg.value == operands[n - 2].reg.value;
}

static bool is_self(const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operands)
{
    const ZydisMachineMode mode = ZYDIS_MACHINE_MODE_LONG_64;
    return instruction->operand_count_visible >= 2 &&
           operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           ZydisRegisterGetLargestEnclosing(mode, operands[0].reg.value) ==
               ZydisRegisterGetLargestEnclosing(mode, operands[1].reg.value);
}

uint32_t insn_words(const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operands)
{
    static const uint32_t counts[] = {0, RULE_OPS1, RULE_OPS2, RULE_OPS3};
    uint32_t words = 0;
    uint8_t n = instruction->operand_count_visible;
    for (uint8_t i = 0; i < instruction->operand_count; i++) {
        if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
            words |= memory_words(&operands[i]);
        if (i < n && is_high(&operands[i]))
            words |= RULE_HIGH;
        if (i && i < n)
            words |= (is_gpr(&operands[i]) ? RULE_FROM_GPR : 0) |
                     (is_vec(&operands[i]) ? RULE_FROM_VEC : 0);
    }
    if (!(words & (RULE_LOAD | RULE_STORE)))
        words |= RULE_REG;
    if (n) {
        words |= width_word(&operands[0]) | last_words(&operands[n - 1]);
        words |= (is_gpr(&operands[0]) ? RULE_GPR : 0) | (is_vec(&operands[0]) ? RULE_VEC : 0);
    }
    if (n < sizeof counts / sizeof *counts)
        words |= counts[n];
    if (sources_same(instruction, operands))
        words |= RULE_SAME;
    if (is_self(instruction, operands))
        words |= RULE_SELF;
    if (instruction->attributes & ZYDIS_ATTRIB_HAS_LOCK)
        words |= RULE_LOCK;
    if (instruction->attributes &
        (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
        words |= RULE_REP;
    return words;
}
