#include "program/insn/opclass.h"

#include "program/insn/decoded.h"

#include <Zydis/Zydis.h>
#include <string.h>

static const char *const names[] = {
#define OPCLASS_NAME(name, text) #name,
    OPCLASSES(OPCLASS_NAME)
#undef OPCLASS_NAME
};

const char *opclass_name(enum opclass opclass)
{
    return names[opclass];
}

bool opclass_parse(const char *name, enum opclass *ret_opclass)
{
    for (uint32_t i = 0; i < OPCLASS_N; i++)
        if (strcmp(name, names[i]) == 0) {
            *ret_opclass = (enum opclass)i;
            return true;
        }
    return false;
}

static uint32_t bit(enum opclass opclass)
{
    return 1u << opclass;
}

static uint32_t operand_classes(const ZydisDecodedOperand *operand)
{
    uint32_t classes = 0;
    if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && operand->mem.type != ZYDIS_MEMOP_TYPE_AGEN) {
        if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
            classes |= bit(OPCLASS_load);
        if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            classes |= bit(OPCLASS_store);
    }
    if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER)
        switch (ZydisRegisterGetClass(operand->reg.value)) {
        case ZYDIS_REGCLASS_MMX:
        case ZYDIS_REGCLASS_XMM:
        case ZYDIS_REGCLASS_YMM:
        case ZYDIS_REGCLASS_ZMM: classes |= bit(OPCLASS_vector); break;
        case ZYDIS_REGCLASS_X87: classes |= bit(OPCLASS_float); break;
        default: break;
        }
    switch (operand->element_type) {
    case ZYDIS_ELEMENT_TYPE_FLOAT16:
    case ZYDIS_ELEMENT_TYPE_FLOAT32:
    case ZYDIS_ELEMENT_TYPE_FLOAT64:
    case ZYDIS_ELEMENT_TYPE_FLOAT80: classes |= bit(OPCLASS_float); break;
    default: break;
    }
    return classes;
}

static uint32_t kind_classes(const ZydisDecodedInstruction *instruction)
{
    if (instruction->mnemonic == ZYDIS_MNEMONIC_DIV || instruction->mnemonic == ZYDIS_MNEMONIC_IDIV)
        return bit(OPCLASS_div);
    switch (instruction->meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_UNCOND_BR: return bit(OPCLASS_branch);
    case ZYDIS_CATEGORY_CALL: return bit(OPCLASS_call);
    case ZYDIS_CATEGORY_RET: return bit(OPCLASS_return);
    case ZYDIS_CATEGORY_STRINGOP: return bit(OPCLASS_string);
    case ZYDIS_CATEGORY_X87_ALU: return bit(OPCLASS_float);
    default: return 0;
    }
}

bool opclass_at(const struct image *image, struct svma at, uint32_t *ret_classes,
                uint8_t *ret_bytes)
{
    struct decoded decoded;
    if (!decoded_read(image, at, &decoded))
        return false;
    uint32_t classes = kind_classes(&decoded.instruction);
    for (uint8_t i = 0; i < decoded.instruction.operand_count; i++)
        classes |= operand_classes(&decoded.operands[i]);
    *ret_classes = classes;
    *ret_bytes = decoded.instruction.length;
    return true;
}
